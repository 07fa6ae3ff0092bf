"""Statistics of samples: pure functions, standard library only, no assumption of a bell curve.

Times are skewed and drift, so everything here rests on order statistics: a median with the exact interval that the
binomial distribution gives, percentiles only where there are enough samples for one, the median of paired log-ratios,
and the Theil–Sen slope. Sources: Conover, Practical Nonparametric Statistics (order-statistic intervals); Sen 1968
(slope and its interval); MLPerf LoadGen's early-stopping rule (how many samples a percentile needs).
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist, median
from typing import Literal

CONFIDENCE = 0.95
PERCENTILE_CONFIDENCE = 0.99
"""The confidence that MLPerf LoadGen asks of a percentile."""
MARGIN = 0.005
"""A difference is declared only beyond this ratio: the smallest that anyone acts on (half a percent)."""

Verdict = Literal["faster", "slower", "same", "unclear"]


@dataclass(frozen=True)
class Interval:
    """An estimate with the range that the samples support at `confidence`."""

    estimate: float
    low: float
    high: float
    confidence: float


@dataclass(frozen=True)
class Percentile:
    """A percentile, or, where the samples are too few for it, the highest one that they do support."""

    wanted: float
    value: float | None
    """The conservative estimate (an upper bound at 99 % confidence); None where the samples are too few."""
    samples: int
    samples_needed: int
    supported: float | None
    """The highest percentile that so many samples support; None with hardly any."""
    supported_value: float | None


def binomial_cdf(successes: int, trials: int, probability: float) -> float:
    """P(X ≤ successes). Summed from the smaller tail in logarithms: exact enough for any number of samples."""
    if successes < 0:
        return 0.0
    if successes >= trials:
        return 1.0
    if successes > trials * probability:
        return 1.0 - _binomial_sum(range(successes + 1, trials + 1), trials, probability)
    return _binomial_sum(range(successes, -1, -1), trials, probability)


def _binomial_sum(counts: range, trials: int, probability: float) -> float:
    """Sum the point masses from the mode outwards, until they no longer count."""
    log_success, log_failure = math.log(probability), math.log1p(-probability)
    log_trials = math.lgamma(trials + 1)
    total = 0.0
    for count in counts:
        log_choose = log_trials - math.lgamma(count + 1) - math.lgamma(trials - count + 1)
        mass = math.exp(log_choose + count * log_success + (trials - count) * log_failure)
        total += mass
        if mass < total * 1e-17:
            break
    return total


def quantile_interval(
    samples: Sequence[float], quantile: float = 0.5, confidence: float = CONFIDENCE
) -> Interval | None:
    """The exact order-statistic interval of a quantile; None where the samples are too few for the confidence.

    The k-th smallest of n samples lies above the quantile with probability P(Binomial(n, q) < k), whatever the
    distribution; each side gets half of the error.
    """
    ordered = sorted(samples)
    ranks = interval_ranks(len(ordered), quantile, confidence)
    if ranks is None:
        return None
    low, high = ranks
    return Interval(_quantile_of_sorted(ordered, quantile), ordered[low], ordered[high], confidence)


def interval_ranks(count: int, quantile: float = 0.5, confidence: float = CONFIDENCE) -> tuple[int, int] | None:
    """The positions (from 0) of the two order statistics that enclose the quantile with at least `confidence`."""
    if count == 0:
        return None
    error = (1.0 - confidence) / 2.0
    low = bisect_left(range(count + 1), True, key=lambda k: binomial_cdf(k, count, quantile) > error) - 1
    high = bisect_left(range(count + 1), True, key=lambda k: binomial_cdf(k, count, quantile) >= 1.0 - error)
    if low < 0 or high > count - 1:
        return None
    return low, high


def _quantile_of_sorted(ordered: Sequence[float], quantile: float) -> float:
    """Linear between the two nearest samples, as NumPy's default."""
    position = quantile * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    # The difference is weighted, not the two ends: equal ends must give themselves, to the last bit.
    return ordered[below] + (ordered[above] - ordered[below]) * (position - below)


def percentile(samples: Sequence[float], wanted: float) -> Percentile:
    """A percentile under MLPerf LoadGen's rule: at 99 % confidence, or not at all.

    LoadGen's early stopping allows t of n samples over the bound, where t is the largest number such that more than
    t would not be surprising at 99 % confidence; it asks for t ≥ 1. So p90 needs 64 samples and p99 662.
    """
    ordered = sorted(samples)
    needed = samples_needed(wanted)
    supported = _highest_supported(len(ordered))
    return Percentile(
        wanted=wanted,
        value=ordered[_bound_position(len(ordered), wanted)] if len(ordered) >= needed else None,
        samples=len(ordered),
        samples_needed=needed,
        supported=supported,
        supported_value=None if supported is None else ordered[_bound_position(len(ordered), supported)],
    )


def samples_needed(wanted: float, confidence: float = PERCENTILE_CONFIDENCE) -> int:
    """The fewest samples from which a percentile may be named."""
    count = 2
    while binomial_cdf(1, count, 1.0 - wanted) > 1.0 - confidence:
        count += 1
    return count


def _bound_position(count: int, wanted: float) -> int:
    """The position (from 0) of the sample that bounds the percentile from above at 99 % confidence."""
    over = bisect_left(
        range(count), True, key=lambda t: binomial_cdf(t, count, 1.0 - wanted) > 1.0 - PERCENTILE_CONFIDENCE
    )
    return count - over


def _highest_supported(count: int) -> float | None:
    """The highest whole percentile that `count` samples support; None below the median."""
    wanted = bisect_left(range(50, 100), True, key=lambda p: samples_needed(p / 100) > count) + 49
    return wanted / 100 if wanted >= 50 else None


@dataclass(frozen=True)
class PairedRatio:
    """B's time over A's, from pairs: below 1 means that B is faster. The interval is None with too few pairs."""

    ratio: float
    interval: Interval | None
    margin: float
    pairs: int

    @property
    def verdict(self) -> Verdict:
        """What may be said of B: a difference only where the whole interval lies beyond the margin."""
        if self.interval is None:
            return "unclear"
        if self.interval.high < 1.0 / (1.0 + self.margin):
            return "faster"
        if self.interval.low > 1.0 + self.margin:
            return "slower"
        if self.interval.low >= 1.0 / (1.0 + self.margin) and self.interval.high <= 1.0 + self.margin:
            return "same"
        return "unclear"


def paired_ratio(
    a: Sequence[float], b: Sequence[float], confidence: float = CONFIDENCE, margin: float = MARGIN
) -> PairedRatio:
    """The median of b/a over pairs with the exact interval of the median log-ratio."""
    log_ratios = [math.log(after / before) for before, after in zip(a, b, strict=True)]
    found = quantile_interval(log_ratios, 0.5, confidence)
    interval = found and Interval(math.exp(found.estimate), math.exp(found.low), math.exp(found.high), found.confidence)
    return PairedRatio(math.exp(median(log_ratios)), interval, margin, len(log_ratios))


def smallest_detectable_change(
    log_ratios: Sequence[float],
    draw: Callable[[int], int],
    confidence: float = CONFIDENCE,
    margin: float = MARGIN,
    resamples: int = 1000,
) -> float | None:
    """The smallest slow-down that a comparison with so many pairs would find in `confidence` of the cases.

    From the pairs of A against A: resampled with `draw(n)` → 0…n−1, a true change only shifts every log-ratio, and
    with it the interval's lower end. So the answer is the shift that lifts all but the lowest 5 % of those lower ends
    over the margin. None with too few pairs for an interval.
    """
    ranks = interval_ranks(len(log_ratios), 0.5, confidence)
    if ranks is None:
        return None
    count = len(log_ratios)
    lows = sorted(sorted(log_ratios[draw(count)] for _ in range(count))[ranks[0]] for _ in range(resamples))
    worst = lows[math.floor((1.0 - confidence) * resamples)]
    return math.exp(math.log1p(margin) - min(worst, 0.0)) - 1.0


def theil_sen(x: Sequence[float], y: Sequence[float], confidence: float = CONFIDENCE) -> Interval | None:
    """The median of all pairwise slopes, with Sen's interval (ties in y corrected); None with fewer than 4 points."""
    slopes = sorted((y[j] - y[i]) / (x[j] - x[i]) for i in range(len(x)) for j in range(i + 1, len(x)) if x[j] != x[i])
    if len(x) < 4 or not slopes:
        return None
    z = NormalDist().inv_cdf((1.0 + confidence) / 2.0)
    half_width = z * math.sqrt(_kendall_variance(x, y))
    # Sen counts from 1: the ((N − C) / 2)-th slope from below and as far from above.
    low = max(round((len(slopes) - half_width) / 2.0) - 1, 0)
    high = min(round((len(slopes) + half_width) / 2.0), len(slopes) - 1)
    return Interval(median(slopes), slopes[low], slopes[high], confidence)


def _kendall_variance(x: Sequence[float], y: Sequence[float]) -> float:
    count = len(x)
    tied = sum(ties * (ties - 1) * (2 * ties + 5) for values in (x, y) for ties in _tie_counts(values))
    # Ties in both at once are taken off twice, which could leave less than nothing.
    return max(0.0, (count * (count - 1) * (2 * count + 5) - tied) / 18.0)


def _tie_counts(values: Sequence[float]) -> list[int]:
    counts: dict[float, int] = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    return [count for count in counts.values() if count > 1]


def spread(samples: Sequence[float]) -> float:
    """The median distance from the median, relative to it: a spread that one hiccup can't blow up."""
    middle = median(samples)
    return median(abs(sample - middle) for sample in samples) / abs(middle) if middle else 0.0


def is_steady(samples: Sequence[float], window: int = 8, tolerance: float = 0.05) -> bool:
    """Whether warm-up is over: the last window's median lies within the tolerance, or the noise, of the one before."""
    if len(samples) < 2 * window:
        return False
    before, after = samples[-2 * window : -window], samples[-window:]
    allowed = max(tolerance, 3.0 * spread(before) / math.sqrt(window))
    return abs(median(after) - median(before)) <= allowed * abs(median(before))


def break_even_calls(extra_s: float, slow_s: float, fast_s: float) -> float | None:
    """After how many calls a one-off cost (a compilation) pays for itself; None where it never does."""
    gain_per_call = slow_s - fast_s
    return extra_s / gain_per_call if gain_per_call > 0 else None

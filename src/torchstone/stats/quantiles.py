"""Quantiles of samples: a median with the exact interval that the binomial distribution gives, and percentiles only
where there are enough samples for one (MLPerf LoadGen's early-stopping rule).

Source of the intervals: Conover, Practical Nonparametric Statistics.
"""

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

CONFIDENCE = 0.95
PERCENTILE_CONFIDENCE = 0.99
"""The confidence that MLPerf LoadGen asks of a percentile."""


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

"""What samples do over time: the Theil–Sen slope with its interval (Sen 1968), and whether warming up is over."""

import math
from collections.abc import Sequence
from statistics import NormalDist, median

from torchstone.stats.quantiles import CONFIDENCE, Interval


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

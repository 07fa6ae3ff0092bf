# earns: solved
# pairs of readings clipped to the window; whole turns of the counter counted
"""Energy from awkward meters; what is unknown is None, and never 0."""

from collections.abc import Sequence
from itertools import pairwise


def _known(watts: float | None) -> bool:
    return watts is not None and watts == watts


def _between(one: tuple[float, float], two: tuple[float, float], moment: float) -> tuple[float, float]:
    share = (moment - one[0]) / (two[0] - one[0])
    return moment, one[1] * (1 - share) + two[1] * share


def from_power(readings: Sequence[tuple[float, float | None]], start_s: float, end_s: float) -> float | None:
    """Joules between two moments, by straight lines between readings of (time_s, watts)."""
    if not readings or readings[0][0] > start_s or readings[-1][0] < end_s:
        return None
    total = 0.0
    for one, two in pairwise(readings):
        if two[0] <= start_s or one[0] >= end_s:
            continue
        if not (_known(one[1]) and _known(two[1])):
            return None
        left = _between(one, two, start_s) if one[0] < start_s else one
        right = _between(one, two, end_s) if two[0] > end_s else two
        total += 0.5 * (left[1] + right[1]) * (right[0] - left[0])
    return total


def from_counter(readings: Sequence[float | None], range_j: float) -> float | None:
    """Joules between the first and the last reading of a counter that starts again at `range_j`."""
    if None in readings or len(readings) <= 1:
        return None
    turns = sum(later < sooner for sooner, later in pairwise(readings))
    return float(readings[-1] - readings[0] + turns * range_j)


def per_sample(joules: float | None, samples: int, idle_watts: float | None, seconds: float) -> float | None:
    """Joules that one sample took beyond the idle machine's."""
    if None in (joules, idle_watts) or not samples:
        return None
    idle = idle_watts * seconds
    return (joules - idle) / samples if joules >= idle else None

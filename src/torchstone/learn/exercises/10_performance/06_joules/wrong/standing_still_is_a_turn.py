# rejected by: counters_start_again: A counter that fell has started again: each
# two equal readings of the counter count as a whole turn
"""Energy from awkward meters; what is unknown is None, and never 0."""

import math
from collections.abc import Sequence
from itertools import pairwise


def from_power(readings: Sequence[tuple[float, float | None]], start_s: float, end_s: float) -> float | None:
    """Joules between two moments, by straight lines between readings of (time_s, watts)."""
    before = [place for place, (time, _) in enumerate(readings) if time <= start_s]
    after = [place for place, (time, _) in enumerate(readings) if time >= end_s]
    if not before or not after:
        return None
    needed = readings[before[-1] : after[0] + 1]
    if any(watts is None or math.isnan(watts) for _, watts in needed):
        return None
    joules = 0.0
    for (t0, w0), (t1, w1) in pairwise(needed):
        slope = (w1 - w0) / (t1 - t0)
        left, right = max(t0, start_s), min(t1, end_s)
        middle = (left + right) / 2
        joules += (right - left) * (w0 + slope * (middle - t0))
    return joules


def from_counter(readings: Sequence[float | None], range_j: float) -> float | None:
    """Joules between the first and the last reading of a counter that starts again at `range_j`."""
    if len(readings) < 2 or any(reading is None for reading in readings):
        return None
    return sum(later - sooner if later > sooner else later + (range_j - sooner) for sooner, later in pairwise(readings))


def per_sample(joules: float | None, samples: int, idle_watts: float | None, seconds: float) -> float | None:
    """Joules that one sample took beyond the idle machine's."""
    if joules is None or idle_watts is None or samples == 0:
        return None
    beyond = joules - idle_watts * seconds
    return beyond / samples if beyond >= 0 else None

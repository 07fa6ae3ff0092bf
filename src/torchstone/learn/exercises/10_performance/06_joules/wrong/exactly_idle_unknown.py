# rejected by: samples_have_a_price: Only what is needed must be known: readings far outside don't matter,
# exactly what the idle machine takes gives None instead of 0.0; "Less than idle is a measuring error: `None`."
"""Energy from awkward meters; what is unknown is None, and never 0."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise


def from_power(readings: Sequence[tuple[float, float | None]], start_s: float, end_s: float) -> float | None:
    """Joules between two moments, by straight lines between readings of (time_s, watts)."""
    times = [time for time, _ in readings]
    if not times or times[0] > start_s or times[-1] < end_s:
        return None
    first = bisect_right(times, start_s) - 1
    last = bisect_left(times, end_s)
    needed = readings[first : last + 1]
    if any(watts is None or math.isnan(watts) for _, watts in needed):
        return None
    joules = 0.0
    for (sooner, low), (later, high) in pairwise(needed):
        begin, stop = max(sooner, start_s), min(later, end_s)
        if stop > begin:
            middle = ((begin + stop) / 2 - sooner) / (later - sooner)
            joules += (stop - begin) * (low + (high - low) * middle)
    return joules


def from_counter(readings: Sequence[float | None], range_j: float) -> float | None:
    """Joules between the first and the last reading of a counter that starts again at `range_j`."""
    if len(readings) < 2 or any(reading is None for reading in readings):
        return None
    return float(sum(later - sooner + (range_j if later < sooner else 0.0) for sooner, later in pairwise(readings)))


def per_sample(joules: float | None, samples: int, idle_watts: float | None, seconds: float) -> float | None:
    """Joules that one sample took beyond the idle machine's."""
    if joules is None or idle_watts is None or samples == 0:
        return None
    beyond = joules - idle_watts * seconds
    return None if beyond <= 0 else beyond / samples

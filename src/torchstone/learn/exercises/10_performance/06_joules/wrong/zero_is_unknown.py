# rejected by: samples_have_a_price: Only what is needed must be known
# idle_watts 0.0 (or 0.0 joules) is taken for unknown; breaks 'None if the energy is unknown (None)',
# per_sample(10.0, 2, 0.0, 1.0) is 5.0
"""Energy from awkward meters; what is unknown is None, and never 0."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence


def from_power(readings: Sequence[tuple[float, float | None]], start_s: float, end_s: float) -> float | None:
    """Joules between two moments, by straight lines between readings of (time_s, watts)."""
    times = [time for time, _ in readings]
    first = bisect_right(times, start_s) - 1
    last = bisect_left(times, end_s)
    if first < 0 or last == len(times):
        return None
    needed = readings[first : last + 1]
    if any(watts is None or math.isnan(watts) for _, watts in needed):
        return None

    def power(left: int, moment: float) -> float:
        (t0, w0), (t1, w1) = needed[left], needed[left + 1]
        return w0 + (w1 - w0) * (moment - t0) / (t1 - t0)

    joules = 0.0
    for left in range(len(needed) - 1):
        begin, end = max(needed[left][0], start_s), min(needed[left + 1][0], end_s)
        joules += (end - begin) * (power(left, begin) + power(left, end)) / 2
    return joules


def from_counter(readings: Sequence[float | None], range_j: float) -> float | None:
    """Joules between the first and the last reading of a counter that starts again at `range_j`."""
    if len(readings) < 2 or any(reading is None for reading in readings):
        return None
    joules = 0.0
    for sooner, later in zip(readings, readings[1:], strict=False):
        joules += later - sooner + (range_j if later < sooner else 0.0)
    return joules


def per_sample(joules: float | None, samples: int, idle_watts: float | None, seconds: float) -> float | None:
    """Joules that one sample took beyond the idle machine's."""
    if not joules or not idle_watts or not samples:
        return None
    beyond = joules - idle_watts * seconds
    return None if beyond < 0 else beyond / samples

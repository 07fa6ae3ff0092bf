# earns: solved
# the corners of the polygon under the lines first, then its area; wraps by remainder
"""Energy from awkward meters; what is unknown is None, and never 0."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise


def from_power(readings: Sequence[tuple[float, float | None]], start_s: float, end_s: float) -> float | None:
    """Joules between two moments, by straight lines between readings of (time_s, watts)."""
    times = [time for time, _ in readings]
    left, right = bisect_right(times, start_s) - 1, bisect_left(times, end_s)
    if left < 0 or right == len(times):
        return None
    watts = [math.nan if value is None else value for _, value in readings]

    def at(moment: float, i: int) -> float:
        if times[i] == moment:
            return watts[i]
        share = (moment - times[i]) / (times[i + 1] - times[i])
        return watts[i] * (1 - share) + watts[i + 1] * share

    corners = [(start_s, at(start_s, left))]
    corners += [(times[i], watts[i]) for i in range(left + 1, right)]
    corners += [(end_s, at(end_s, right if times[right] == end_s else right - 1))]
    joules = math.fsum((t1 - t0) * (w0 + w1) / 2 for (t0, w0), (t1, w1) in pairwise(corners))
    return None if math.isnan(joules) else joules


def from_counter(readings: Sequence[float | None], range_j: float) -> float | None:
    """Joules between the first and the last reading of a counter that starts again at `range_j`."""
    if None in readings or len(readings) <= 1:
        return None
    turns = sum(1 for sooner, later in pairwise(readings) if later < sooner)
    return float(readings[-1] - readings[0] + turns * range_j)


def per_sample(joules: float | None, samples: int, idle_watts: float | None, seconds: float) -> float | None:
    """Joules that one sample took beyond the idle machine's."""
    match joules, idle_watts, samples:
        case (None, _, _) | (_, None, _) | (_, _, 0):
            return None
    more = joules - idle_watts * seconds
    return None if more < 0 else more / samples

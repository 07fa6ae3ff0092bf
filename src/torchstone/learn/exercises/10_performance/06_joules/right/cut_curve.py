# earns: solved
# bisect, a curve cut out of the readings, counted turns
"""Energy from awkward meters; what is unknown is None, and never 0."""

import bisect
from collections.abc import Sequence


def from_power(readings: Sequence[tuple[float, float | None]], start_s: float, end_s: float) -> float | None:
    """Joules between two moments: cut the curve out at its two ends, then add up trapezia."""
    times = [reading[0] for reading in readings]
    first = bisect.bisect_right(times, start_s) - 1
    last = bisect.bisect_left(times, end_s)
    if first < 0 or last >= len(times):
        return None
    watts = [readings[place][1] for place in range(first, last + 1)]
    times = times[first : last + 1]
    if any(value is None or value != value for value in watts):
        return None

    def power(moment: float, left: int) -> float:
        share = (moment - times[left]) / (times[left + 1] - times[left])
        return watts[left] * (1 - share) + watts[left + 1] * share

    begin, finish = power(start_s, 0), power(end_s, len(times) - 2)
    curve = [(start_s, begin), *zip(times[1:-1], watts[1:-1], strict=True), (end_s, finish)]
    total = 0.0
    for place in range(1, len(curve)):
        (t0, w0), (t1, w1) = curve[place - 1], curve[place]
        total += 0.5 * (w0 + w1) * (t1 - t0)
    return total


def from_counter(readings: Sequence[float | None], range_j: float) -> float | None:
    """Joules between the first and the last reading of a counter that starts again at `range_j`."""
    if None in readings or len(readings) <= 1:
        return None
    turns = sum(readings[place] < readings[place - 1] for place in range(1, len(readings)))
    return readings[-1] - readings[0] + turns * range_j


def per_sample(joules: float | None, samples: int, idle_watts: float | None, seconds: float) -> float | None:
    """Joules that one sample took beyond the idle machine's."""
    if None in (joules, idle_watts):
        return None
    idle = idle_watts * seconds
    if samples < 1 or joules < idle:
        return None
    return (joules - idle) / samples

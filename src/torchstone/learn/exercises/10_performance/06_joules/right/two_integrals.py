# earns: solved
"""Energy from awkward meters; what is unknown is None, and never 0."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence


def from_power(readings: Sequence[tuple[float, float | None]], start_s: float, end_s: float) -> float | None:
    """Joules between two moments, by straight lines between readings of (time_s, watts)."""
    first = bisect_right(readings, start_s, key=lambda reading: reading[0]) - 1
    last = bisect_left(readings, end_s, key=lambda reading: reading[0])
    if first < 0 or last >= len(readings):
        return None
    needed = list(readings[first : last + 1])
    for _, watts in needed:
        if watts is None or watts != watts:
            return None

    def until(moment: float) -> float:
        pieces = []
        for i in range(1, len(needed)):
            (t0, w0), (t1, w1) = needed[i - 1], needed[i]
            if moment <= t0:
                break
            share = 1.0 if moment >= t1 else (moment - t0) / (t1 - t0)
            pieces.append((t1 - t0) * share * (w0 + share * (w1 - w0) / 2))
        return math.fsum(pieces)

    return until(end_s) - until(start_s)


def from_counter(readings: Sequence[float | None], range_j: float) -> float | None:
    """Joules between the first and the last reading of a counter that starts again at `range_j`."""
    readings = list(readings)
    if len(readings) <= 1 or readings.count(None):
        return None
    turns = sum(b < a for a, b in zip(readings, readings[1:], strict=False))
    return float(readings[-1] - readings[0] + turns * range_j)


def per_sample(joules: float | None, samples: int, idle_watts: float | None, seconds: float) -> float | None:
    """Joules that one sample took beyond the idle machine's."""
    try:
        answer = (joules - idle_watts * seconds) / samples
    except (TypeError, ZeroDivisionError):
        return None
    return answer if answer >= 0 else None

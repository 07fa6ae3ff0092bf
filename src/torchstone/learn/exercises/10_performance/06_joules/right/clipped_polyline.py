# earns: solved
# the polyline is cut at both ends, then trapezoids; the counter by a remainder
"""Energy from awkward meters; what is unknown is None, and never 0."""

import math
from collections.abc import Sequence
from itertools import pairwise


def from_power(readings: Sequence[tuple[float, float | None]], start_s: float, end_s: float) -> float | None:
    """Joules between two moments, by straight lines between readings of (time_s, watts)."""
    before = [number for number, (time, _) in enumerate(readings) if time <= start_s]
    after = [number for number, (time, _) in enumerate(readings) if time >= end_s]
    if not before or not after:
        return None
    line: list[tuple[float, float]] = []
    for time, watts in readings[before[-1] : after[0] + 1]:
        if watts is None or math.isnan(watts):
            return None
        line.append((time, watts))

    def height(left: tuple[float, float], right: tuple[float, float], time: float) -> float:
        share = (time - left[0]) / (right[0] - left[0])
        return left[1] * (1 - share) + right[1] * share

    areas = []
    for left, right in pairwise(line):
        begin, stop = max(left[0], start_s), min(right[0], end_s)
        if begin < stop:
            areas.append((height(left, right, begin) + height(left, right, stop)) / 2 * (stop - begin))
    return math.fsum(areas)


def from_counter(readings: Sequence[float | None], range_j: float) -> float | None:
    """Joules between the first and the last reading of a counter that starts again at `range_j`."""
    known = [reading for reading in readings if reading is not None]
    if len(known) < max(2, len(readings)):
        return None
    turns = sum(later < sooner for sooner, later in pairwise(known))
    return float(known[-1] - known[0] + turns * range_j)


def per_sample(joules: float | None, samples: int, idle_watts: float | None, seconds: float) -> float | None:
    """Joules that one sample took beyond the idle machine's."""
    match joules, samples, idle_watts:
        case (None, _, _) | (_, 0, _) | (_, _, None):
            return None
        case _:
            idle = idle_watts * seconds
            return (joules - idle) / samples if joules >= idle else None

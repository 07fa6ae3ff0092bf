# rejected by: unknown_power_is_none: Unknown is not zero
# '`None` if the readings do not reach from `start_s` to `end_s`': the first and last watts are taken to hold for ever
# (as numpy.interp does)
"""Energy from awkward meters; what is unknown is None, and never 0."""

import math
from collections.abc import Sequence
from itertools import pairwise


def from_power(readings: Sequence[tuple[float, float | None]], start_s: float, end_s: float) -> float | None:
    if not readings or any(watts is None or watts != watts for time, watts in readings if start_s <= time <= end_s):
        return None
    known = [(t, w) for t, w in readings if w is not None and w == w]
    if not known:
        return None

    def at(moment: float) -> float:
        if moment <= known[0][0]:
            return known[0][1]
        for (t0, w0), (t1, w1) in pairwise(known):
            if t0 <= moment <= t1:
                return w0 + (w1 - w0) * (moment - t0) / (t1 - t0)
        return known[-1][1]

    corners = [(start_s, at(start_s)), *[r for r in known if start_s < r[0] < end_s], (end_s, at(end_s))]
    return sum((t1 - t0) * (w0 + w1) / 2 for (t0, w0), (t1, w1) in pairwise(corners))


def from_counter(readings: Sequence[float | None], range_j: float) -> float | None:
    if len(readings) < 2 or any(reading is None for reading in readings):
        return None
    return (
        sum((later - sooner) if later >= sooner else later - sooner + range_j for sooner, later in pairwise(readings))
        * 1.0
    )


def per_sample(joules: float | None, samples: int, idle_watts: float | None, seconds: float) -> float | None:
    if joules is None or idle_watts is None or samples <= 0:
        return None
    extra = joules - idle_watts * seconds
    return extra / samples if extra >= 0 else None

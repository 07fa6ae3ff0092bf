# rejected by: unknown_counters_are_none: Unknown is not zero
# 'and if any of them is `None`': missing readings of the counter are left out
"""Energy from awkward meters; what is unknown is None, and never 0."""

import math
from collections.abc import Sequence
from itertools import pairwise


def from_power(readings: Sequence[tuple[float, float | None]], start_s: float, end_s: float) -> float | None:
    if not readings or readings[0][0] > start_s or readings[-1][0] < end_s:
        return None
    first = max(i for i, (time, _) in enumerate(readings) if time <= start_s)
    last = min(i for i, (time, _) in enumerate(readings) if time >= end_s)
    needed = readings[min(first, last) : max(first, last) + 1]
    if any(watts is None or math.isnan(watts) for _, watts in needed):
        return None
    joules = 0.0
    for (t0, w0), (t1, w1) in pairwise(needed):
        begin, end = max(t0, start_s), min(t1, end_s)
        if end <= begin or t1 == t0:
            continue
        slope = (w1 - w0) / (t1 - t0)
        joules += (end - begin) * (w0 + slope * ((begin + end) / 2 - t0))
    return joules


def from_counter(readings: Sequence[float | None], range_j: float) -> float | None:
    known = [reading for reading in readings if reading is not None]
    if len(known) < 2:
        return None
    return sum((later - sooner) % range_j for sooner, later in pairwise(known))


def per_sample(joules: float | None, samples: int, idle_watts: float | None, seconds: float) -> float | None:
    if joules is None or idle_watts is None or samples <= 0:
        return None
    extra = joules - idle_watts * seconds
    return extra / samples if extra >= 0 else None

# rejected by: unknown_power_is_none: Unknown is not zero
# 'An unknown energy is None: never 0': missing watts count as 0 W
"""Energy from awkward meters; what is unknown is None, and never 0."""

import math
from collections.abc import Sequence
from itertools import pairwise


def from_power(readings: Sequence[tuple[float, float | None]], start_s: float, end_s: float) -> float | None:
    if not readings or readings[0][0] > start_s or readings[-1][0] < end_s:
        return None
    readings = [(time, 0.0 if watts is None or watts != watts else watts) for time, watts in readings]
    joules = 0.0
    for (t0, w0), (t1, w1) in pairwise(readings):
        a, b = max(t0, start_s), min(t1, end_s)
        if b > a:
            slope = (w1 - w0) / (t1 - t0)
            joules += (b - a) * (w0 + slope * ((a + b) / 2 - t0))
    return joules


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

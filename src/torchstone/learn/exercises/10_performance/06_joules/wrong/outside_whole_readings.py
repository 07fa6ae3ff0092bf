# rejected by: power_becomes_energy: Energy is the area under the line
# '`start_s` and `end_s` usually lie between two readings': only intervals that lie inside as a whole are counted
"""Energy from awkward meters; what is unknown is None, and never 0."""

import math
from collections.abc import Sequence
from itertools import pairwise


def from_power(readings: Sequence[tuple[float, float | None]], start_s: float, end_s: float) -> float | None:
    if not readings or readings[0][0] > start_s or readings[-1][0] < end_s:
        return None
    inside = [(time, watts) for time, watts in readings if start_s <= time <= end_s]
    if any(watts is None or math.isnan(watts) for _, watts in inside):
        return None
    return sum(((t1 - t0) * (w0 + w1) / 2 for (t0, w0), (t1, w1) in pairwise(inside)), 0.0)


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

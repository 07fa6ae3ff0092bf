# rejected by: samples_have_a_price: Only what is needed must be known
# "`None` exactly where the energy is unknown": an idle machine of 0 watts counts as unknown
"""Energy from awkward meters; what is unknown is None, and never 0."""

import math
from collections.abc import Sequence
from itertools import pairwise


def from_power(readings: Sequence[tuple[float, float | None]], start_s: float, end_s: float) -> float | None:
    """Joules between two moments, by straight lines between readings of (time_s, watts)."""
    if not readings or readings[0][0] > start_s or readings[-1][0] < end_s:
        return None
    joules = 0.0
    for (sooner, first), (later, second) in pairwise(readings):
        left, right = max(sooner, start_s), min(later, end_s)
        if left >= right:
            continue
        if first is None or second is None or math.isnan(first) or math.isnan(second):
            return None
        slope = (second - first) / (later - sooner)
        middle = first + slope * ((left + right) / 2 - sooner)
        joules += middle * (right - left)
    return joules


def from_counter(readings: Sequence[float | None], range_j: float) -> float | None:
    """Joules between the first and the last reading of a counter that starts again at `range_j`."""
    if len(readings) < 2 or any(reading is None for reading in readings):
        return None
    joules = 0.0
    for sooner, later in pairwise(readings):
        joules += later - sooner
        if later < sooner:
            joules += range_j
    return joules


def per_sample(joules: float | None, samples: int, idle_watts: float | None, seconds: float) -> float | None:
    """Joules that one sample took beyond the idle machine's."""
    if joules is None or not idle_watts or not samples:
        return None
    extra = joules - idle_watts * seconds
    return extra / samples if extra >= 0 else None

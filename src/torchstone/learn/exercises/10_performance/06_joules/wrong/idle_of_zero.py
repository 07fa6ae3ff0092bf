# rejected by: samples_have_a_price: Only what is needed must be known: readings far outside
# an idle machine that takes 0 watts counts as unknown; "an unknown `idle_watts` (`None`) makes the answer unknown too"
# and "`None` exactly where the energy is unknown"
"""Energy from awkward meters; what is unknown is None, and never 0."""

import math
from collections.abc import Sequence
from itertools import pairwise


def from_power(readings: Sequence[tuple[float, float | None]], start_s: float, end_s: float) -> float | None:
    """Joules between two moments, by straight lines between readings of (time_s, watts)."""
    if not readings or readings[0][0] > start_s or readings[-1][0] < end_s:
        return None
    first = max(i for i, (time, _) in enumerate(readings) if time <= start_s)
    last = min(i for i, (time, _) in enumerate(readings) if time >= end_s)
    needed = readings[min(first, last) : max(first, last) + 1]
    if any(watts is None or math.isnan(watts) for _, watts in needed):
        return None
    joules = 0.0
    for (sooner, low), (later, high) in pairwise(needed):
        begin, end = max(sooner, start_s), min(later, end_s)
        if end <= begin:
            continue
        slope = (high - low) / (later - sooner)
        joules += (end - begin) * (low + slope * ((begin + end) / 2 - sooner))
    return joules


def from_counter(readings: Sequence[float | None], range_j: float) -> float | None:
    """Joules between the first and the last reading of a counter that starts again at `range_j`."""
    if len(readings) < 2 or any(reading is None for reading in readings):
        return None
    return float(sum(b - a if b >= a else b - a + range_j for a, b in pairwise(readings)))


def per_sample(joules: float | None, samples: int, idle_watts: float | None, seconds: float) -> float | None:
    """Joules that one sample took beyond the idle machine's."""
    if joules is None or not idle_watts or samples <= 0:
        return None
    beyond = joules - idle_watts * seconds
    return beyond / samples if beyond >= 0 else None

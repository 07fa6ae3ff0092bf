# earns: solved
# overlaps of the window with each stretch between readings
"""Energy from awkward meters; what is unknown is None, and never 0."""

import math
from collections.abc import Sequence
from itertools import pairwise


def known(value: float | None) -> bool:
    return value is not None and not math.isnan(value)


def from_power(readings: Sequence[tuple[float, float | None]], start_s: float, end_s: float) -> float | None:
    """Joules between two moments, by straight lines between readings of (time_s, watts)."""
    if not readings or readings[0][0] > start_s or readings[-1][0] < end_s or end_s < start_s:
        return None
    first = max(i for i, (time, _) in enumerate(readings) if time <= start_s)
    last = min(i for i, (time, _) in enumerate(readings) if time >= end_s)
    first, last = min(first, last), max(first, last)
    needed = readings[first : last + 1]
    if not all(known(watts) for _, watts in needed):
        return None
    joules = 0.0
    for (sooner, low), (later, high) in pairwise(needed):
        begin, end = max(sooner, start_s), min(later, end_s)
        if end > begin:
            middle = ((begin + end) / 2 - sooner) / (later - sooner)
            joules += (end - begin) * (low + (high - low) * middle)
    return joules


def from_counter(readings: Sequence[float | None], range_j: float) -> float | None:
    """Joules between the first and the last reading of a counter that starts again at `range_j`."""
    if len(readings) < 2 or not all(known(one) for one in readings):
        return None
    return float(sum(later - sooner + (range_j if later < sooner else 0.0) for sooner, later in pairwise(readings)))


def per_sample(joules: float | None, samples: int, idle_watts: float | None, seconds: float) -> float | None:
    """Joules that one sample took beyond the idle machine's."""
    if joules is None or idle_watts is None or samples <= 0:
        return None
    extra = joules - idle_watts * seconds
    return None if extra < 0 else extra / samples

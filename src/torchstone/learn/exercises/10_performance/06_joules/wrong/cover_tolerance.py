# rejected by: a_little_is_too_much or power_becomes_energy: not
# "`None` if the readings do not reach": a millisecond is forgiven
"""Energy from awkward meters; what is unknown is None, and never 0."""

import math
from collections.abc import Sequence
from itertools import pairwise


def from_power(readings: Sequence[tuple[float, float | None]], start_s: float, end_s: float) -> float | None:
    """Joules between two moments, by straight lines between readings of (time_s, watts)."""
    before = [place for place, (time, _) in enumerate(readings) if time <= start_s + 1e-3]
    after = [place for place, (time, _) in enumerate(readings) if time >= end_s]
    if not before or not after:
        return None  # beyond the readings nothing is known, and a guess is no measurement
    needed = readings[before[-1] : after[0] + 1]
    if any(watts is None or math.isnan(watts) for _, watts in needed):
        return None
    inside = [(time, watts) for time, watts in needed if start_s < time < end_s]
    points = [(start_s, _power_at(start_s, needed)), *inside, (end_s, _power_at(end_s, needed))]
    return sum((later - sooner) * (one + other) / 2 for (sooner, one), (later, other) in pairwise(points))


def from_counter(readings: Sequence[float | None], range_j: float) -> float | None:
    """Joules between the first and the last reading of a counter that starts again at `range_j`."""
    if len(readings) < 2 or any(reading is None for reading in readings):
        return None
    # Each step on its own: between the first and the last reading it may have started again many times.
    return math.fsum((later - sooner) % range_j for sooner, later in pairwise(readings))


def per_sample(joules: float | None, samples: int, idle_watts: float | None, seconds: float) -> float | None:
    """Joules that one sample took beyond the idle machine's."""
    if joules is None or idle_watts is None or samples <= 0:
        return None
    extra = joules - idle_watts * seconds
    return extra / samples if extra >= 0 else None


def _power_at(moment: float, readings: Sequence[tuple[float, float]]) -> float:
    """The straight line between the two readings around `moment`."""
    for (sooner, one), (later, other) in pairwise(readings):
        if sooner <= moment <= later and sooner < later:
            return one + (other - one) * (moment - sooner) / (later - sooner)
    return readings[0][1]

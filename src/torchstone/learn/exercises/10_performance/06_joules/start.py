"""Energy from awkward meters; what is unknown is None, and never 0."""

import math
from collections.abc import Sequence
from itertools import pairwise


def from_power(readings: Sequence[tuple[float, float | None]], start_s: float, end_s: float) -> float | None:
    """Joules between two moments, by straight lines between readings of (time_s, watts)."""
    # TODO: windows between readings, missing readings, windows that the readings do not cover
    return sum((later - sooner) * (watts or 0.0) for (sooner, watts), (later, _) in pairwise(readings))


def from_counter(readings: Sequence[float | None], range_j: float) -> float | None:
    """Joules between the first and the last reading of a counter that starts again at `range_j`."""
    # TODO: counters start again
    return readings[-1] - readings[0]


def per_sample(joules: float | None, samples: int, idle_watts: float | None, seconds: float) -> float | None:
    """Joules that one sample took beyond the idle machine's."""
    # TODO: unknown is not zero
    return ((joules or 0.0) - (idle_watts or 0.0) * seconds) / samples

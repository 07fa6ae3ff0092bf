# earns: solved
# match statements, an antiderivative for each line, and the counter by modulo
"""Energy from awkward meters; what is unknown is None, and never 0."""

import math
from collections.abc import Sequence
from itertools import pairwise


def known(watts: float | None) -> bool:
    return watts is not None and not math.isnan(watts)


def from_power(readings: Sequence[tuple[float, float | None]], start_s: float, end_s: float) -> float | None:
    """Joules between two moments, by straight lines between readings of (time_s, watts)."""
    pieces = [pair for pair in pairwise(readings) if pair[0][0] < end_s and pair[1][0] > start_s]
    if not pieces or pieces[0][0][0] > start_s or pieces[-1][1][0] < end_s:
        return None
    total = 0.0
    for (time, watts), (later, after) in pieces:
        if not (known(watts) and known(after)):
            return None
        rise = (after - watts) / (later - time)
        a, b = max(start_s - time, 0.0), min(end_s, later) - time
        total += watts * (b - a) + rise * (b - a) * (b + a) / 2
    return total


def from_counter(readings: Sequence[float | None], range_j: float) -> float | None:
    """Joules between the first and the last reading of a counter that starts again at `range_j`."""
    match list(readings):
        case [] | [_]:
            return None
        case values if any(value is None for value in values):
            return None
        case values:
            return float(sum((later - sooner) % range_j for sooner, later in pairwise(values)))


def per_sample(joules: float | None, samples: int, idle_watts: float | None, seconds: float) -> float | None:
    """Joules that one sample took beyond the idle machine's."""
    match joules, idle_watts, samples:
        case (None, _, _) | (_, None, _) | (_, _, 0):
            return None
    beyond = joules - seconds * idle_watts
    return None if beyond < 0 else beyond / samples

# earns: solved
# the two ends are made readings of their own first, then plain trapezoids; modulo for the counter
"""Energy from awkward meters; what is unknown is None, and never 0."""

import math
from collections.abc import Sequence
from itertools import pairwise


def _known(watts: float | None) -> bool:
    return watts is not None and watts == watts


def _at(readings: Sequence[tuple[float, float | None]], moment: float) -> float | None:
    for time, watts in readings:
        if time == moment:
            return watts if _known(watts) else None
    for (t0, w0), (t1, w1) in pairwise(readings):
        if t0 < moment < t1:
            if not (_known(w0) and _known(w1)):
                return None
            share = (moment - t0) / (t1 - t0)
            return (1 - share) * w0 + share * w1
    return None


def from_power(readings: Sequence[tuple[float, float | None]], start_s: float, end_s: float) -> float | None:
    ends = _at(readings, start_s), _at(readings, end_s)
    if ends[0] is None or ends[1] is None:
        return None
    inside = [(time, watts) for time, watts in readings if start_s < time < end_s]
    if not all(_known(watts) for _, watts in inside):
        return None
    corners = [(start_s, ends[0]), *inside, (end_s, ends[1])]
    return math.fsum((t1 - t0) * (w0 + w1) / 2 for (t0, w0), (t1, w1) in pairwise(corners))


def from_counter(readings: Sequence[float | None], range_j: float) -> float | None:
    known = [reading for reading in readings if reading is not None]
    if len(known) != len(readings) or len(known) < 2:
        return None
    return math.fsum((later - sooner) % range_j for sooner, later in pairwise(known))


def per_sample(joules: float | None, samples: int, idle_watts: float | None, seconds: float) -> float | None:
    match joules, idle_watts:
        case (None, _) | (_, None):
            return None
    if samples < 1:
        return None
    own = (joules - seconds * idle_watts) / samples
    return None if own < 0 else own

# earns: solved
# bisect for the neighbours, one loop that counts the turns of the counter
"""Energy from awkward meters; what is unknown is None, and never 0."""

import math
from collections.abc import Sequence
from itertools import pairwise
from bisect import bisect_left, bisect_right


def from_power(readings: Sequence[tuple[float, float | None]], start_s: float, end_s: float) -> float | None:
    times = [time for time, _ in readings]
    left = bisect_right(times, start_s) - 1
    right = bisect_left(times, end_s)
    if left < 0 or right >= len(times):
        return None
    if left > right:
        left, right = right, left
    part = list(readings[left : right + 1])
    for _, watts in part:
        if watts is None or watts != watts:
            return None
    area = 0.0
    for i in range(len(part) - 1):
        (t0, w0), (t1, w1) = part[i], part[i + 1]
        if t1 <= t0:
            continue
        a, b = max(t0, start_s), min(t1, end_s)
        if b > a:
            at = lambda t: w0 + (w1 - w0) * (t - t0) / (t1 - t0)
            area += (at(a) + at(b)) / 2 * (b - a)
    return area


def from_counter(readings: Sequence[float | None], range_j: float) -> float | None:
    if len(readings) < 2 or None in list(readings):
        return None
    turns = 0
    for i in range(1, len(readings)):
        if readings[i] < readings[i - 1]:
            turns += 1
    return float(readings[-1] - readings[0] + turns * range_j)


def per_sample(joules: float | None, samples: int, idle_watts: float | None, seconds: float) -> float | None:
    if joules is None or idle_watts is None or samples <= 0:
        return None
    extra = joules - idle_watts * seconds
    return extra / samples if extra >= 0 else None

# earns: solved
# borders that count up and down for the kernels, a parent for every op by index
"""What a profiler's trace says, in numbers."""

from collections import Counter
from itertools import groupby
from typing import Any


def self_times(trace: dict[str, Any]) -> dict[str, float]:
    """Microseconds that each op of the host spent itself, by name."""
    ops = [one for one in trace["traceEvents"] if one.get("ph") == "X" and one.get("cat") == "cpu_op"]
    order = sorted(
        range(len(ops)), key=lambda i: (str(ops[i]["pid"]), str(ops[i]["tid"]), ops[i]["ts"], -ops[i]["dur"], i)
    )
    own = [float(one["dur"]) for one in ops]
    for _, group in groupby(order, key=lambda i: (ops[i]["pid"], ops[i]["tid"])):
        parent: dict[int, int | None] = {}
        previous = None
        for i in group:
            end = ops[i]["ts"] + ops[i]["dur"]
            while previous is not None and ops[previous]["ts"] + ops[previous]["dur"] < end:
                previous = parent[previous]
            if previous is not None:
                own[previous] -= ops[i]["dur"]
            parent[i] = previous
            previous = i
    totals: dict[str, float] = {}
    for one, time in zip(ops, own):
        totals[one["name"]] = totals.get(one["name"], 0.0) + time
    return totals


def idle_share(trace: dict[str, Any]) -> float | None:
    """The share of time, from first to last kernel, in which none ran."""
    change: Counter = Counter()
    for one in trace["traceEvents"]:
        if one.get("ph") == "X" and one.get("cat") == "kernel":
            change[one["ts"]] += 1
            change[one["ts"] + one["dur"]] -= 1
    borders = sorted(change)
    if len(borders) < 2:
        return None
    idle, running = 0.0, 0
    for here, there in zip(borders, borders[1:]):
        running += change[here]
        if running == 0:
            idle += there - here
    return idle / (borders[-1] - borders[0])

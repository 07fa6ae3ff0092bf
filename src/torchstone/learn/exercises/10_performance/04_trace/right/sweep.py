# earns: solved
# groupby over threads, parents by index; a sweep of +1 and −1 over begins and ends
"""What a profiler's trace says, in numbers."""

from collections import defaultdict
from itertools import groupby
from typing import Any


def _pick(trace: dict[str, Any], category: str) -> list[dict[str, Any]]:
    complete = (event for event in trace["traceEvents"] if event.get("ph") == "X")
    return [event for event in complete if event.get("cat") == category]


def self_times(trace: dict[str, Any]) -> dict[str, float]:
    """Microseconds that each op of the host spent itself, by name."""
    ops = _pick(trace, "cpu_op")
    thread = [(str(op["pid"]), str(op["tid"])) for op in ops]
    order = sorted(range(len(ops)), key=lambda i: (thread[i], ops[i]["ts"], -ops[i]["dur"], i))
    own = [float(op["dur"]) for op in ops]
    for _, members in groupby(order, key=lambda i: thread[i]):
        path: list[int] = []
        for i in members:
            while path and ops[path[-1]]["ts"] + ops[path[-1]]["dur"] <= ops[i]["ts"]:
                path.pop()
            if path:
                own[path[-1]] -= ops[i]["dur"]
            path.append(i)
    times: dict[str, float] = defaultdict(float)
    for op, microseconds in zip(ops, own, strict=True):
        times[op["name"]] += microseconds
    return dict(times)


def idle_share(trace: dict[str, Any]) -> float | None:
    """The share of time, from first to last kernel, in which none ran."""
    kernels = _pick(trace, "kernel")
    changes = [(kernel["ts"], 1) for kernel in kernels]
    changes += [(kernel["ts"] + kernel["dur"], -1) for kernel in kernels]
    changes.sort()
    if not changes or changes[-1][0] == changes[0][0]:
        return None
    idle, active = 0.0, 0
    for (now, change), (later, _) in zip(changes, changes[1:], strict=False):
        active += change
        if active == 0:
            idle += later - now
    return idle / (changes[-1][0] - changes[0][0])

# earns: solved
# parent links in a sorted list, a counter of running kernels
"""What a profiler's trace says, in numbers: a tree of ops, and a count of kernels that go up and down."""

from itertools import groupby
from typing import Any, NamedTuple


class Op(NamedTuple):
    thread: tuple[str, str]
    begin: float
    end: float
    length: float
    name: str


def self_times(trace: dict[str, Any]) -> dict[str, float]:
    """Microseconds that each op of the host spent itself, by name."""
    ops = [
        Op(
            (repr(event["pid"]), repr(event["tid"])),
            event["ts"],
            event["ts"] + event["dur"],
            event["dur"],
            event["name"],
        )
        for event in trace["traceEvents"]
        if event.get("ph") == "X" and event.get("cat") == "cpu_op"
    ]
    times = {op.name: 0.0 for op in ops}
    ops.sort(key=lambda op: (op.thread, op.begin, -op.end, -op.length))
    for _, group in groupby(ops, key=lambda op: op.thread):
        line = list(group)
        parent: list[int] = []
        for place, op in enumerate(line):
            above = place - 1
            while above >= 0 and op.end > line[above].end:
                above = parent[above]
            parent.append(above)
        inside = [0.0] * len(line)
        for op, above in zip(line, parent, strict=True):
            if above >= 0:
                inside[above] += op.length
        for op, less in zip(line, inside, strict=True):
            times[op.name] += op.length - less
    return times


def idle_share(trace: dict[str, Any]) -> float | None:
    """The share of time, from first to last kernel, in which none ran."""
    changes: dict[float, int] = {}
    for event in trace["traceEvents"]:
        if event.get("ph") != "X" or event.get("cat") != "kernel":
            continue
        for moment, change in ((event["ts"], 1), (event["ts"] + event["dur"], -1)):
            changes[moment] = changes.get(moment, 0) + change
    moments = sorted(changes)
    if len(moments) < 2:
        return None
    running, idle = 0, 0.0
    for now, later in zip(moments, moments[1:], strict=False):
        running += changes[now]
        if running == 0:
            idle += later - now
    return idle / (moments[-1] - moments[0])

# earns: solved
# idle time from a running count over begins and ends; self times by recursion over nested ops
"""What a profiler's trace says, in numbers."""

from collections import defaultdict
from typing import Any


def self_times(trace: dict[str, Any]) -> dict[str, float]:
    """Microseconds that each op of the host spent itself, by name."""
    threads = defaultdict(list)
    for place, event in enumerate(trace["traceEvents"]):
        if event.get("ph") == "X" and event.get("cat") == "cpu_op":
            row = (event["ts"], -event["dur"], place, event["name"])
            threads[event["pid"], event["tid"]].append(row)
    times: defaultdict[str, float] = defaultdict(float)
    for rows in threads.values():
        rows.sort()
        inner = [0.0] * len(rows)
        path: list[int] = []
        for i, (begin, minus, _, _) in enumerate(rows):
            while path and rows[path[-1]][0] - rows[path[-1]][1] <= begin:
                path.pop()
            if path:
                inner[path[-1]] -= minus
            path.append(i)
        for (_, minus, _, name), less in zip(rows, inner, strict=True):
            times[name] += -minus - less
    return dict(times)


def idle_share(trace: dict[str, Any]) -> float | None:
    """The share of time, from first to last kernel, in which none ran."""
    edges: list[tuple[float, int]] = []
    for event in trace["traceEvents"]:
        if event.get("ph") == "X" and event.get("cat") == "kernel":
            edges += [(event["ts"], -1), (event["ts"] + event["dur"], 1)]
    edges.sort()
    if not edges or edges[-1][0] <= edges[0][0]:
        return None
    running, idle = 0, 0.0
    for (time, change), (following, _) in zip(edges, edges[1:], strict=False):
        running -= change
        if running == 0:
            idle += following - time
    return idle / (edges[-1][0] - edges[0][0])

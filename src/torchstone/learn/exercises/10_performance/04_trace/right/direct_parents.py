# earns: solved
"""What a profiler's trace says, in numbers."""

from collections import defaultdict
from typing import Any


def self_times(trace: dict[str, Any]) -> dict[str, float]:
    threads = defaultdict(list)
    for place, event in enumerate(trace["traceEvents"]):
        if event.get("ph") == "X" and event.get("cat") == "cpu_op":
            begin, length = event["ts"], event["dur"]
            threads[event["pid"], event["tid"]].append((begin, -length, place, begin + length, event["name"]))
    times: dict[str, float] = defaultdict(float)
    for ops in threads.values():
        running: list[tuple[float, str]] = []  # end and name, in the order of beginning
        for begin, minus, _, end, name in sorted(ops):
            running = [one for one in running if one[0] >= begin]
            times[name] -= minus
            nearest = None
            for other_end, other in reversed(running):
                if other_end >= end and (nearest is None or other_end < nearest):
                    nearest = other_end  # holds this op, and no op between the two does
                    times[other] += minus
            running.append((end, name))
    return dict(times)


def idle_share(trace: dict[str, Any]) -> float | None:
    changes = []
    for event in trace["traceEvents"]:
        if event.get("ph") == "X" and event.get("cat") == "kernel":
            changes += [(event["ts"], 1), (event["ts"] + event["dur"], -1)]
    if not changes:
        return None
    changes.sort()
    idle, running, before = 0.0, 0, changes[0][0]
    for when, change in changes:
        if running == 0:
            idle += when - before
        running += change
        before = when
    span = changes[-1][0] - changes[0][0]
    return idle / span if span > 0 else None

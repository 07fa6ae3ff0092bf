# rejected by: idle_shares_are_right: Walk along the kernels by their begin
# a short kernel inside a long one moves the end back: [0, 10], [2, 3], [12, 13] gives 9 idle instead of 2; breaks
# 'Kernels of several streams and devices overlap; time counts once'
"""What a profiler's trace says, in numbers."""

from collections import defaultdict
from typing import Any


def _events(trace: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [event for event in trace["traceEvents"] if event.get("ph") == "X" and event.get("cat") == kind]


def self_times(trace: dict[str, Any]) -> dict[str, float]:
    """Microseconds that each op of the host spent itself, by name."""
    threads = defaultdict(list)
    for event in _events(trace, "cpu_op"):
        threads[event["pid"], event["tid"]].append(event)
    times: dict[str, float] = {}
    for events in threads.values():
        around: list[dict[str, Any]] = []
        for event in sorted(events, key=lambda e: (e["ts"], -e["dur"])):
            end = event["ts"] + event["dur"]
            while around and around[-1]["ts"] + around[-1]["dur"] < end:
                around.pop()
            if around:
                times[around[-1]["name"]] -= event["dur"]
            times[event["name"]] = times.get(event["name"], 0.0) + event["dur"]
            around.append(event)
    return times


def idle_share(trace: dict[str, Any]) -> float | None:
    """The share of time, from first to last kernel, in which none ran."""
    spans = sorted((event["ts"], event["ts"] + event["dur"]) for event in _events(trace, "kernel"))
    if not spans:
        return None
    begin, until = spans[0]
    idle = 0.0
    for start, end in spans:
        idle += max(start - until, 0.0)
        until = end
    return idle / (until - begin) if until > begin else None

# rejected by: self_times_are_right: An op's own time is its length less the lengths of its
# "inside another of the same process and thread": equal thread numbers of two processes are mixed up
"""What a profiler's trace says, in numbers."""

from collections import defaultdict
from typing import Any


def events_of(trace: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """The events with a length, of one kind."""
    return [event for event in trace["traceEvents"] if event.get("ph") == "X" and event.get("cat") == kind]


def self_times(trace: dict[str, Any]) -> dict[str, float]:
    """Microseconds that each op of the host spent itself, by name."""
    threads = defaultdict(list)
    for event in events_of(trace, "cpu_op"):
        threads[event["tid"]].append(event)
    times: dict[str, float] = {}
    for ops in threads.values():
        stack: list[tuple[float, str]] = []
        for event in sorted(ops, key=lambda one: (one["ts"], -one["dur"])):
            end = event["ts"] + event["dur"]
            while stack and stack[-1][0] < end:
                stack.pop()
            if stack:
                times[stack[-1][1]] -= event["dur"]
            times[event["name"]] = times.get(event["name"], 0.0) + event["dur"]
            stack.append((end, event["name"]))
    return times


def idle_share(trace: dict[str, Any]) -> float | None:
    """The share of time, from first to last kernel, in which none ran."""
    spans = sorted((event["ts"], event["ts"] + event["dur"]) for event in events_of(trace, "kernel"))
    if not spans:
        return None
    first, until = spans[0][0], spans[0][0]
    idle = 0.0
    for begin, end in spans:
        idle += max(begin - until, 0.0)
        until = max(until, end)
    return idle / (until - first) if until > first else None

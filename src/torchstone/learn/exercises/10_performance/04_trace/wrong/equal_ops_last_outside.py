# rejected by: self_times_are_right: An op's own time is its length less
# of two equal ops the one that comes later in the list is taken for the outer one
"""What a profiler's trace says, in numbers."""

from collections import defaultdict
from typing import Any


def of_kind(trace: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """The complete events of one category."""
    return [event for event in trace["traceEvents"] if event.get("ph") == "X" and event.get("cat") == kind]


def self_times(trace: dict[str, Any]) -> dict[str, float]:
    """Microseconds that each op of the host spent itself, by name."""
    threads = defaultdict(list)
    for event in of_kind(trace, "cpu_op"):
        threads[event["pid"], event["tid"]].append(event)
    times: dict[str, float] = defaultdict(float)
    for events in threads.values():
        stack: list[dict[str, Any]] = []
        for event in sorted(events[::-1], key=lambda event: (event["ts"], -event["dur"])):
            while stack and event["ts"] + event["dur"] > stack[-1]["ts"] + stack[-1]["dur"]:
                stack.pop()
            times[event["name"]] += event["dur"]
            if stack:
                times[stack[-1]["name"]] -= event["dur"]
            stack.append(event)
    return dict(times)


def idle_share(trace: dict[str, Any]) -> float | None:
    """The share of time, from first to last kernel, in which none ran."""
    spans = sorted((event["ts"], event["ts"] + event["dur"]) for event in of_kind(trace, "kernel"))
    if not spans:
        return None
    first, reached = spans[0][0], spans[0][0]
    idle = 0.0
    for begin, end in spans:
        idle += max(0.0, begin - reached)
        reached = max(reached, end)
    return idle / (reached - first) if reached > first else None

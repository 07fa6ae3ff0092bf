# rejected by: idle_shares_are_right: Kernels that run at the same time were
# the time of kernels that overlap counts twice
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
        for event in sorted(events, key=lambda event: (event["ts"], -event["dur"])):
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
    length = max(end for _, end in spans) - spans[0][0]
    busy = sum(end - begin for begin, end in spans)
    return 1 - busy / length if length > 0 else None

# rejected by: self_times_are_right: An op's own time is its length less the lengths of its direct children
# of two equal ops the later one in the list is taken for the outer; breaks 'of two equal ones the one that comes
# first in the list'
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
        for event in sorted(events, key=lambda e: (-e["ts"], e["dur"]))[::-1]:
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
        until = max(until, end)
    return idle / (until - begin) if until > begin else None

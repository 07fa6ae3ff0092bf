# rejected by: self_times_are_right: An op's own time is its length less the lengths of its
# of two ops with the same begin and length the one earlier in the alphabet is outside; "of two equal ones the one that
# comes first in the list"
"""What a profiler's trace says, in numbers."""

from typing import Any


def of_kind(trace: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """All events with a length of that category."""
    return [event for event in trace["traceEvents"] if event.get("ph") == "X" and event.get("cat") == kind]


def self_times(trace: dict[str, Any]) -> dict[str, float]:
    """Microseconds that each op of the host spent itself, by name."""
    times: dict[str, float] = {}
    threads: dict[tuple, list[dict[str, Any]]] = {}
    for event in of_kind(trace, "cpu_op"):
        threads.setdefault((event["pid"], event["tid"]), []).append(event)
    for events in threads.values():
        outside: list[dict[str, Any]] = []
        for event in sorted(events, key=lambda event: (event["ts"], -event["dur"], event["name"])):
            while outside and outside[-1]["ts"] + outside[-1]["dur"] <= event["ts"]:
                outside.pop()
            if outside:
                times[outside[-1]["name"]] -= event["dur"]
            times[event["name"]] = times.get(event["name"], 0.0) + event["dur"]
            outside.append(event)
    return times


def idle_share(trace: dict[str, Any]) -> float | None:
    """The share of time, from first to last kernel, in which none ran."""
    spans = sorted((event["ts"], event["ts"] + event["dur"]) for event in of_kind(trace, "kernel"))
    if not spans:
        return None
    first = until = spans[0][0]
    idle = 0.0
    for begin, end in spans:
        idle += max(begin - until, 0.0)
        until = max(until, end)
    return idle / (until - first) if until > first else None

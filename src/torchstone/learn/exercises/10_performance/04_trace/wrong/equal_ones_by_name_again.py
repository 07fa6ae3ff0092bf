# rejected by: self_times_are_right: An op's own time is its length less the lengths of its direct
# of two equal ops the one whose name comes first is outside; "of two equal ones the one that comes first in the list"
"""What a profiler's trace says, in numbers."""

from typing import Any


def self_times(trace: dict[str, Any]) -> dict[str, float]:
    """Microseconds that each op of the host spent itself, by name."""
    threads: dict[Any, list[dict[str, Any]]] = {}
    for event in trace["traceEvents"]:
        if event.get("ph") == "X" and event.get("cat") == "cpu_op":
            threads.setdefault((event["pid"], event["tid"]), []).append(event)
    times: dict[str, float] = {}
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
    kernels = sorted(
        (event["ts"], event["ts"] + event["dur"])
        for event in trace["traceEvents"]
        if event.get("ph") == "X" and event.get("cat") == "kernel"
    )
    if not kernels:
        return None
    first = reached = kernels[0][0]
    idle = 0.0
    for begin, end in kernels:
        idle += max(begin - reached, 0)
        reached = max(reached, end)
    return idle / (reached - first) if reached > first else None

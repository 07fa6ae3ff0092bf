# rejected by: idle_shares_are_right: Walk along the kernels by their begin, and remember how far
# the time ends with the kernel that begins last, though an earlier one may end later; promised: "from the first
# `kernel`'s begin to the last one's end"
"""What a profiler's trace says, in numbers."""

from collections import defaultdict
from typing import Any


def _events(trace: dict[str, Any], category: str) -> list[dict[str, Any]]:
    return [event for event in trace["traceEvents"] if event.get("ph") == "X" and event.get("cat") == category]


def self_times(trace: dict[str, Any]) -> dict[str, float]:
    """Microseconds that each op of the host spent itself, by name."""
    times: dict[str, float] = defaultdict(float)
    threads: dict[tuple, list[dict[str, Any]]] = defaultdict(list)
    for event in _events(trace, "cpu_op"):
        threads[event["pid"], event["tid"]].append(event)
    for events in threads.values():
        events.sort(key=lambda event: (event["ts"], -event["dur"]))  # stable: of equal ones the first of the list first
        before: list[tuple[float, str]] = []
        for event in events:
            begin, length, name = event["ts"], event["dur"], event["name"]
            end = begin + length
            times[name] += length
            before = [(its_end, its_name) for its_end, its_name in before if its_end >= begin]
            inner = None  # the earliest end of those around it that are themselves inside the next ones
            for its_end, its_name in reversed(before):
                if its_end >= end and (inner is None or its_end < inner):
                    times[its_name] -= length
                    inner = its_end
            before.append((end, name))
    return dict(times)


def idle_share(trace: dict[str, Any]) -> float | None:
    """The share of time, from first to last kernel, in which none ran."""
    spans = sorted((event["ts"], event["ts"] + event["dur"]) for event in _events(trace, "kernel"))
    if not spans:
        return None
    first = until = spans[0][0]
    idle = 0.0
    for begin, end in spans:
        idle += max(0.0, begin - until)
        until = max(until, end)
    last = spans[-1][1]
    return idle / (last - first) if last > first else None

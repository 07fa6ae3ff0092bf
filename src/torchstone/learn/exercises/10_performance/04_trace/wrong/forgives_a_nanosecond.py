# rejected by: short_events_count_too: An end is ts + dur as it is: with a tolerance, short ops swallow
# "An end is `ts + dur` as it is, without a tolerance.": a nanosecond counts as inside
"""What a profiler's trace says, in numbers."""

from typing import Any


def self_times(trace: dict[str, Any]) -> dict[str, float]:
    """Microseconds that each op of the host spent itself, by name."""
    times: dict[str, float] = {}
    open_ops: dict[tuple[Any, Any], list[tuple[str, float]]] = {}
    # The outer op first; sorting is stable, so of two equal ones the first in the list stays first.
    for event in sorted(_events(trace, "cpu_op"), key=lambda event: (event["ts"], -event["dur"])):
        name, end = event["name"], event["ts"] + event["dur"]
        stack = open_ops.setdefault((event["pid"], event["tid"]), [])
        while stack and stack[-1][1] + 1e-3 < end:
            stack.pop()
        if stack:
            times[stack[-1][0]] -= event["dur"]
        times[name] = times.get(name, 0.0) + event["dur"]
        stack.append((name, end))
    return times


def idle_share(trace: dict[str, Any]) -> float | None:
    """The share of time, from first to last kernel, in which none ran."""
    spans = sorted((event["ts"], event["ts"] + event["dur"]) for event in _events(trace, "kernel"))
    if not spans:
        return None
    begin = reached = spans[0][0]
    idle = 0.0
    for start, end in spans:
        idle += max(0.0, start - reached)
        reached = max(reached, end)
    return idle / (reached - begin) if reached > begin else None


def _events(trace: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [event for event in trace["traceEvents"] if event.get("ph") == "X" and event.get("cat") == kind]

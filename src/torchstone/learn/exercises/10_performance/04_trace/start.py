"""What a profiler's trace says, in numbers."""

from typing import Any


def self_times(trace: dict[str, Any]) -> dict[str, float]:
    """Microseconds that each op of the host spent itself, by name."""
    # TODO: this counts what happens inside an op twice
    times: dict[str, float] = {}
    for event in trace["traceEvents"]:
        if event["cat"] == "cpu_op":
            times[event["name"]] = times.get(event["name"], 0.0) + event["dur"]
    return times


def idle_share(trace: dict[str, Any]) -> float | None:
    """The share of time, from first to last kernel, in which none ran."""
    # TODO
    raise NotImplementedError("idle_share")

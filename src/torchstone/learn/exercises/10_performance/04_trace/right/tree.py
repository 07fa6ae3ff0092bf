# earns: solved
# a tree of ops; a sweep over begins and ends of kernels
"""What a profiler's trace says, in numbers."""

from typing import Any


class Op:
    def __init__(self, event: dict[str, Any]) -> None:
        self.name, self.begin, self.length = event["name"], event["ts"], event["dur"]
        self.end = self.begin + self.length
        self.inside: list[Op] = []

    def holds(self, other: "Op") -> bool:
        return self.begin <= other.begin and other.end <= self.end

    def take(self, other: "Op") -> None:
        """Hand `other` to the op in here that holds it; only the newest can."""
        place = self
        while place.inside and place.inside[-1].holds(other):
            place = place.inside[-1]
        place.inside.append(other)


def self_times(trace: dict[str, Any]) -> dict[str, float]:
    """Microseconds that each op of the host spent itself, by name."""
    events = [e for e in trace["traceEvents"] if e.get("ph") == "X" and e.get("cat") == "cpu_op"]
    events.sort(key=lambda event: event["dur"], reverse=True)  # stable, also with reverse
    events.sort(key=lambda event: event["ts"])
    roots: dict[tuple[Any, Any], Op] = {}
    ops = []
    for event in events:
        whole = {"name": "", "ts": float("-inf"), "dur": float("inf")}
        thread = roots.setdefault((event["pid"], event["tid"]), Op(whole))
        thread.end = float("inf")
        ops.append(Op(event))
        thread.take(ops[-1])
    times = dict.fromkeys((op.name for op in ops), 0.0)
    for op in ops:
        times[op.name] += op.length - sum(child.length for child in op.inside)
    return times


def idle_share(trace: dict[str, Any]) -> float | None:
    """The share of time, from first to last kernel, in which none ran."""
    moments = []
    for event in trace["traceEvents"]:
        if event.get("ph") == "X" and event.get("cat") == "kernel":
            moments.append((event["ts"], -1))
            moments.append((event["ts"] + event["dur"], 1))
    moments.sort()
    if not moments or moments[0][0] == moments[-1][0]:
        return None
    idle, running, last = 0.0, 0, moments[0][0]
    for moment, change in moments:
        if running == 0:
            idle += moment - last
        running -= change
        last = moment
    return idle / (moments[-1][0] - moments[0][0])

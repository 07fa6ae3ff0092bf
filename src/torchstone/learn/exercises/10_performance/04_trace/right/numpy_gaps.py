# earns: solved
# a recursion over nested ops, running maxima of the ends in NumPy
"""What a profiler's trace says, in numbers."""

from typing import Any

import numpy as np


def self_times(trace: dict[str, Any]) -> dict[str, float]:
    """Microseconds that each op of the host spent itself, by name."""
    threads: dict[tuple, list] = {}
    for event in trace["traceEvents"]:
        match event:
            case {"ph": "X", "cat": "cpu_op", "pid": pid, "tid": tid, "name": name, "ts": ts, "dur": dur}:
                threads.setdefault((pid, tid), []).append((ts, -dur, ts + dur, name))
    times: dict[str, float] = {}
    for ops in threads.values():
        ops.sort(key=lambda op: op[:2])
        enclosing: list[list] = []
        for _, minus, end, name in [*ops, (None, 0, float("inf"), None)]:
            while enclosing and enclosing[-1][0] < end:
                _, finished, own = enclosing.pop()
                times[finished] = times.get(finished, 0.0) + own
            if enclosing:
                enclosing[-1][2] += minus
            enclosing.append([end, name, -minus])
    return times


def idle_share(trace: dict[str, Any]) -> float | None:
    """The share of time, from first to last kernel, in which none ran."""
    kernels = [e for e in trace["traceEvents"] if e.get("ph") == "X" and e.get("cat") == "kernel"]
    if not kernels:
        return None
    begin = np.array([e["ts"] for e in kernels], dtype=np.float64)
    end = np.array([e["ts"] + e["dur"] for e in kernels], dtype=np.float64)
    order = np.argsort(begin, kind="stable")
    begin, reached = begin[order], np.maximum.accumulate(end[order])
    span = reached[-1] - begin[0]
    if span <= 0:
        return None
    return float(np.clip(begin[1:] - reached[:-1], 0, None).sum() / span)

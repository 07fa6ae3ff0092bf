"""Grades trace: made-up traces whose self times are known by construction, and one that the profiler wrote."""

import json
import os
from pathlib import Path
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile

from torchstone.learn.grading import Answer, Draw, check, expect, expect_same, looks_like

PROMISES = {
    "An end is `ts + dur` as it is, without a tolerance.": "self_times_are_right",
    "In one thread ops never overlap otherwise": None,
    "Its traceEvents is a list of events, in no particular order": "self_times_are_right",
    "Events with another ph may lack any of these": "self_times_are_right",
    "self_times(trace) → dict[str, float]: for each name of a": "self_times_are_right",
    "An op is inside another of the same process and thread if it": "self_times_are_right",
    "idle_share(trace) → float | None: of the time from the first": "idle_shares_are_right",
    "Kernels of several streams and devices overlap; time counts once": "idle_shares_are_right",
    "None where there is no kernel, or no time between": "no_kernel_is_no_number",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

os.environ["KINETO_LOG_LEVEL"] = "99"
NAMES = ["aten::linear", "aten::addmm", "aten::mm", "aten::add", "aten::copy_"]
STEP_US = 0.25
Event = dict[str, Any]
Trace = dict[str, Any]


def event(name: str, start: float, end: float, thread: int = 1, process: int = 7, category: str = "cpu_op") -> Event:
    return {
        "ph": "X", "cat": category, "name": name, "pid": process, "tid": thread,
        "ts": 1000 + start * STEP_US, "dur": (end - start) * STEP_US, "args": {},
    }  # fmt: skip


def noise(draw: Draw) -> list[Event]:
    """What a trace has besides."""
    return [
        {"ph": "M", "name": "process_name", "pid": 7, "tid": 0, "args": {"name": "python"}},
        {"ph": "i", "cat": "cpu_op", "name": "aten::mm", "ts": 1001.0, "pid": 7, "tid": 1, "s": "t"},
        *({**event("aten::mm", 0, 30), "ph": phase} for phase in ("B", "b", "C")),
        *({**event("gemm", 0, 4000, 1, 0, "kernel"), "ph": phase} for phase in ("i", "e")),
        {"ph": "s", "cat": "ac2g", "name": "ac2g", "id": 3, "pid": 7, "tid": 1, "ts": 1001.5},
        event("PyTorch Profiler (0)", 0, 4000, category="Trace"),
        event("aten::mm", 0, draw.integer(1, 400), category="user_annotation"),
        event("cudaLaunchKernel", 2, 9, category="cuda_runtime"),
        event("Memcpy HtoD", 1, 30, 1, 0, "gpu_memcpy"),
        event("Memset", 0, 50, 2, 0, "gpu_memset"),
        event("train.py(3): step", 0, 70, category="python_function"),
    ]


def nest(draw: Draw, start: int, end: int, depth: int, thread: int, process: int) -> list[Event]:
    """Ops side by side between two times, with others inside them; some fill their parent to its very end."""
    made, place = [], start
    while place < end and len(made) < 6:
        length = draw.choice([end - place, draw.integer(1, max(1, end - place))])
        made.append(event(draw.choice(NAMES), place, place + length, thread, process))
        if depth and draw.choice([True, False, True]):
            made += nest(draw, place, place + length, depth - 1, thread, process)
        place += length + draw.choice([0, 1, 5])
    return made


def host_trace(draw: Draw, depth: int, threads: int) -> Trace:
    events = [
        one
        for thread in range(threads)
        for process in (7, 8)[: 1 + (threads > 2)]
        for one in nest(draw, draw.integer(0, 5), 60, depth, thread, process)
    ]
    # Equal spans keep their order in the list: outer first.
    order = sorted(events + noise(draw), key=lambda one: (draw.integer(0, 3), 0) if depth == 0 else (0, 0))
    if depth:
        order = shuffle_unequal(draw, order)
    return {"schemaVersion": 1, "traceEvents": order}


def shuffle_unequal(draw: Draw, events: list[Event]) -> list[Event]:
    """Shuffled, but for those of one span, whose order says which is outside."""
    groups: dict[Any, list[Event]] = {}
    for one in events:
        groups.setdefault((one.get("ts"), one.get("dur"), one.get("tid"), one.get("pid")), []).append(one)
    keys = [key for key, group in groups.items() for _ in group]
    draw.random.shuffle(keys)
    return [groups[key].pop(0) for key in keys]


def self_times(trace: Trace) -> dict[str, float]:
    """By definition: the parent of an op is the shortest one around it."""
    ops = [one for one in trace["traceEvents"] if one["ph"] == "X" and one["cat"] == "cpu_op"]
    own = [one["dur"] for one in ops]
    for number, one in enumerate(ops):
        around = [place for place, other in enumerate(ops) if place != number and is_around(other, one, place < number)]
        if around:
            # Of equal ones the last in the list is the innermost.
            own[min(around, key=lambda place: (ops[place]["dur"], -place))] -= one["dur"]
    times: dict[str, float] = {}
    for one, time in zip(ops, own, strict=True):
        times[one["name"]] = times.get(one["name"], 0.0) + time
    return times


def is_around(outer: Event, inner: Event, comes_first: bool) -> bool:
    if (outer["pid"], outer["tid"]) != (inner["pid"], inner["tid"]):
        return False
    begins, ends = outer["ts"] <= inner["ts"], outer["ts"] + outer["dur"] >= inner["ts"] + inner["dur"]
    same = outer["ts"] == inner["ts"] and outer["dur"] == inner["dur"]
    return begins and ends and (comes_first or not same)


def total_times(trace: Trace) -> dict[str, float]:
    times: dict[str, float] = {}
    for one in trace["traceEvents"]:
        if one["ph"] == "X" and one["cat"] == "cpu_op":
            times[one["name"]] = times.get(one["name"], 0.0) + one["dur"]
    return times


def one_thread(trace: Trace) -> dict[str, float]:
    return self_times({"traceEvents": [{**one, "tid": 1, "pid": 7} for one in trace["traceEvents"]]})


def device_trace(draw: Draw, kernels: int, streams: int) -> Trace:
    made = []
    for _ in range(kernels):
        start = draw.integer(0, 60)
        made.append(
            event("gemm", start, start + draw.integer(1, 12), draw.integer(1, streams), draw.integer(0, 1), "kernel")
        )
    events = made + noise(draw) + nest(draw, 0, 200, 1, 1, 7)
    draw.random.shuffle(events)
    return {"traceEvents": events}


def kernels_of(trace: Trace) -> list[Event]:
    return [one for one in trace["traceEvents"] if one["ph"] == "X" and one["cat"] == "kernel"]


def idle_share(trace: Trace) -> float | None:
    spans = [(one["ts"], one["ts"] + one["dur"]) for one in kernels_of(trace)]
    if not spans:
        return None
    begin, end = min(start for start, _ in spans), max(end for _, end in spans)
    ticks = [begin + STEP_US * (i + 0.5) for i in range(round((end - begin) / STEP_US))]
    idle = sum(not any(start < tick < stop for start, stop in spans) for tick in ticks)
    return idle / len(ticks) if ticks else None


def summed_share(trace: Trace) -> float:
    spans = [(one["ts"], one["dur"]) for one in kernels_of(trace)]
    whole = max(start + length for start, length in spans) - min(start for start, _ in spans)
    return 1 - sum(length for _, length in spans) / whole


@check("solved")
def self_times_are_right(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(total_times, "That is the whole time: take off what the ops directly inside took."),
        looks_like(one_thread, "An op of another thread, or process, is not inside, whenever it runs."),
    ]
    teach = "An op's own time is its length less the lengths of its direct children, not of its grandchildren too."
    for depth, threads in ((0, 1), (1, 1), (3, 1), (2, 2), (3, 3)):
        for _ in range(3):
            expect_same(answer.self_times, self_times, host_trace(draw, depth, threads), diagnose=known, teach=teach)
    expect_same(answer.self_times, self_times, {"traceEvents": noise(draw)}, teach="Only ops with ph X count.")
    instant = {"traceEvents": [event("aten::view", 3, 3), event("aten::add", 5, 9), event("aten::t", 6, 6)]}
    expect_same(answer.self_times, self_times, instant, teach="An op that took no time is an op: it spent 0 itself.")


@check("solved")
def idle_shares_are_right(answer: Answer, draw: Draw) -> None:
    busy = looks_like(lambda trace: 1 - idle_share(trace), "That is the share in which the device was busy.")
    summed = looks_like(summed_share, "Kernels that run at the same time were counted twice: join their spans first.")
    teach = "Walk along the kernels by their begin, and remember how far the device is busy already."
    for spans in (
        ((0, 4), (8, 30), (10, 12)),
        ((0, 20), (2, 4), (24, 30), (25, 26)),
    ):  # the last to begin is not to end
        planted = [event("gemm", *span, place, 0, "kernel") for place, span in enumerate(spans)]
        expect_same(answer.idle_share, idle_share, {"traceEvents": planted}, diagnose=[busy, summed], teach=teach)
    for kernels, streams in ((1, 1), (2, 1), (3, 2), (6, 3), (12, 2)):
        for _ in range(3):
            trace = device_trace(draw, kernels, streams)
            expect_same(answer.idle_share, idle_share, trace, diagnose=[busy, summed], teach=teach)


def shrunk(trace: Trace, factor: float) -> Trace:
    """The same in less time."""
    events = [{**one, "ts": one["ts"] * factor, "dur": one["dur"] * factor} for one in trace["traceEvents"]]
    return {"traceEvents": events}


@check("solved")
def short_events_count_too(answer: Answer, draw: Draw) -> None:
    """By a power of two, so that all sums stay exact."""
    teach = "An end is ts + dur as it is: with a tolerance, short ops swallow their neighbours."
    factor = 2.0**-20
    for _ in range(3):
        nested = {"traceEvents": nest(draw, 0, 60, 2, 1, 7)}
        times = {name: time * factor for name, time in self_times(nested).items()}
        expect_same(answer.self_times, lambda _, times=times: times, shrunk(nested, factor), teach=teach, atol=1e-12)
        kernels = {"traceEvents": kernels_of(device_trace(draw, 6, 2))}
        share = idle_share(kernels)
        expect_same(answer.idle_share, lambda _, share=share: share, shrunk(kernels, factor), teach=teach)
    neighbours = [event("aten::mm", 0, 16), event("aten::add", 16, 16 + factor)]
    expect_same(answer.self_times, self_times, {"traceEvents": neighbours}, teach=teach, rtol=0.0, atol=0.0)


@check("solved")
def kernels_of_no_length_count(answer: Answer, draw: Draw) -> None:
    teach = "A kernel that took no time is a kernel: the first begin and the last end may be its own."
    for spans in (((0, 0), (4, 8)), ((0, 4), (8, 8)), ((0, 0), (8, 8)), ((0, 4), (2, 2), (4, 4), (6, 8))):
        events = [event("gemm", *span, place, 0, "kernel") for place, span in enumerate(spans)]
        draw.random.shuffle(events)
        expect_same(answer.idle_share, idle_share, {"traceEvents": events}, teach=teach)


@check("solved")
def no_kernel_is_no_number(answer: Answer, draw: Draw) -> None:
    teach = "Unknown is not zero: None where nothing ran on a device."
    at_once = {"traceEvents": [event("gemm", 3, 3, 1, 0, "kernel"), *noise(draw)]}
    for trace in (host_trace(draw, 1, 1), {"traceEvents": []}, at_once):
        got = answer.idle_share(trace)
        expect(got is None, f"idle_share returned {got!r} where there is no time to share", teach=teach)


@check("solved")
def real_traces_are_read(answer: Answer, draw: Draw) -> None:
    layer, x = torch.nn.Linear(8, 8), torch.randn(4, 8)
    with profile(activities=[ProfilerActivity.CPU]) as profiler:
        layer(x).relu().sum().backward()
    path = Path.cwd() / "trace.json"
    profiler.export_chrome_trace(str(path))
    trace = json.loads(path.read_text())
    expect_same(answer.self_times, self_times, trace, rtol=1e-3, atol=1e-2, teach="A file of the profiler, as it is.")

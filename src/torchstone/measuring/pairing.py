"""Is B faster than A? Random-order pairs over fresh processes, and no answer where the samples don't support one.

Measuring A and then B finds a difference between A and A in more than half of the cases on a shared machine, because
the machine drifts in between. Here each pair runs A and B back to back in an order drawn by coin, so drift hits both;
several fresh processes see several memory layouts; the number of pairs is fixed before the first is taken; and a
difference counts only beyond a stated margin (docs/measuring.md has the figures).
"""

import math
import random
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from statistics import median

from torchstone import stats
from torchstone.backends import find_device
from torchstone.errors import UserError
from torchstone.measuring.timing import (
    Call,
    Clock,
    calls_for_a_sample,
    check_budget,
    complete_setup,
    interrupt_after,
    status_of,
    status_of_outcome,
    without_garbage_collection,
)
from torchstone.processes import ForkServer, Limits, Outcome, fork_server_where_safe, run_spawned
from torchstone.records import Measurement, Scalar, Setup, Status
from torchstone.stats import PairedRatio, Verdict

PROCESSES = 3
BUDGET_S = 10.0
MAX_PAIRS = 1000
MIN_PAIRS = 8
"""The fewest pairs from which a 95 % interval of a median exists."""
WARM_UP_SHARE = 0.2
START_UP_S = 120.0
"""What a fresh process may take beyond its share of the budget (importing torch, first calls) before it is ended."""


@dataclass(frozen=True)
class Pairs:
    """The samples of one process, pair by pair, in seconds a call."""

    a: tuple[float, ...]
    b: tuple[float, ...]
    calls_per_sample: int
    steady: bool


@dataclass(frozen=True)
class Comparison:
    """B against A. `ratio` is B's time over A's; below 1 means that B is faster."""

    a: Measurement
    b: Measurement
    ratio: PairedRatio | None
    """None where one of the two could not be measured; the measurements say why."""
    process_ratios: tuple[float, ...]
    """Each process's own median ratio."""

    @property
    def verdict(self) -> Verdict:
        """`faster` or `slower` (said of B) only beyond the margin and in every process alike; else `same`/`unclear`."""
        if self.ratio is None:
            return "unclear"
        verdict = self.ratio.verdict
        agree = all(ratio < 1.0 for ratio in self.process_ratios) or all(ratio > 1.0 for ratio in self.process_ratios)
        if verdict in ("faster", "slower") and not agree:
            return "unclear"
        return verdict

    def __str__(self) -> str:
        if self.ratio is None:
            return f"cannot be compared: {self.a.reason or self.b.reason}"
        interval = self.ratio.interval
        span = f" (95 %: {interval.low:.3f}–{interval.high:.3f})" if interval else " (too few pairs for an interval)"
        words = {
            "faster": f"{self.b.name} is {1 / self.ratio.ratio:.3g}× as fast as {self.a.name}",
            "slower": f"{self.b.name} takes {self.ratio.ratio:.3g}× the time of {self.a.name}",
            "same": f"{self.a.name} and {self.b.name} are the same within {self.ratio.band.high - 1:.1%}",
            "unclear": f"no difference can be told between {self.a.name} and {self.b.name}",
        }[self.verdict]
        where = f"{len(self.process_ratios)} processes" if len(self.process_ratios) > 1 else "one process"
        return f"{words}: ratio {self.ratio.ratio:.3f}{span}, {self.ratio.rounds} pairs in {where}"

    def _repr_html_(self) -> str:
        from html import escape

        return f"<p>{escape(str(self))}</p>"


def compare(
    a: Call,
    b: Call,
    *,
    device: str = "cpu",
    names: tuple[str, str] = ("A", "B"),
    setup: Setup | None = None,
    processes: int = PROCESSES,
    budget_s: float = BUDGET_S,
    margin: float = stats.MARGIN,
    server: ForkServer | None = None,
) -> Comparison:
    """Compare two calls over `processes` fresh processes, or in this one with `processes=0`.

    A process that the caller's `server` forks starts at once; without one a server is started where forking is safe,
    and Python is started anew elsewhere.
    """
    check_budget(budget_s)
    if processes < 0:
        raise UserError(f"{processes} processes cannot be", "give 3 or more, or 0 to compare in this process")
    if processes == 0:
        return compare_in_process(a, b, device=device, names=names, setup=setup, budget_s=budget_s, margin=margin)
    _, found = find_device(device)
    complete = complete_setup(setup, found.id)
    share_s = budget_s / processes
    job = partial(_sample_pairs_afresh, a, b, found.id, share_s, complete.threads)
    limits = Limits(seconds=share_s * 3 + START_UP_S)
    with nullcontext(server) if server is not None else fork_server_where_safe(found.kind) as ready:
        run = ready.run if ready is not None else run_spawned
        outcomes = [run(job, limits, returns=Pairs) for _ in range(processes)]
    return _gather(outcomes, complete, names, margin)


def compare_in_process(
    a: Call,
    b: Call,
    *,
    device: str = "cpu",
    names: tuple[str, str] = ("A", "B"),
    setup: Setup | None = None,
    budget_s: float = BUDGET_S,
    margin: float = stats.MARGIN,
    timeout_s: float | None = None,
) -> Comparison:
    """Compare two calls in this process: quicker, but blind to what differs from process to process."""
    check_budget(budget_s)
    _, found = find_device(device)
    complete = complete_setup(setup, found.id)
    try:
        with interrupt_after(timeout_s):
            pairs = sample_pairs(a, b, found.id, budget_s)
    except Exception as error:  # the exception is the result
        return _failed(*status_of(error), complete, names)
    return _compared([pairs], complete, names, margin)


def _sample_pairs_afresh(a: Call, b: Call, device_id: str, budget_s: float, threads: int | None) -> Pairs:
    """In a fresh process: with the thread count of the one that asked."""
    import torch

    if threads is not None:
        torch.set_num_threads(threads)
    return sample_pairs(a, b, device_id, budget_s)


def sample_pairs(a: Call, b: Call, device_id: str, budget_s: float, seed: int | None = None) -> Pairs:
    """Time pairs of A and B in random order; how many is decided before the first one."""
    backend, _ = find_device(device_id)
    clock = Clock(backend, device_id)
    coin = random.Random(seed)
    started = time.perf_counter()
    for call in (a, b):
        clock.time_synchronized(call)
    calls = calls_for_a_sample(min(clock.time_synchronized(call)[0] for call in (a, b, a, b)))
    with without_garbage_collection():
        steady, pair_s = _warm_up(clock, a, b, calls, budget_s * WARM_UP_SHARE)
        left_s = budget_s - (time.perf_counter() - started)
        count = min(MAX_PAIRS, max(MIN_PAIRS, math.floor(left_s / pair_s)))
        pairs = [_time_pair(clock, a, b, calls, coin.random() < 0.5) for _ in range(count)]
    return Pairs(tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs), calls, steady)


def _time_pair(clock: Clock, a: Call, b: Call, calls: int, a_first: bool) -> tuple[float, float]:
    if a_first:
        a_s = clock.time_synchronized(a, calls)[0]
        b_s = clock.time_synchronized(b, calls)[0]
    else:
        b_s = clock.time_synchronized(b, calls)[0]
        a_s = clock.time_synchronized(a, calls)[0]
    return a_s, b_s


def _warm_up(clock: Clock, a: Call, b: Call, calls: int, budget_s: float) -> tuple[bool, float]:
    """Run pairs until both are steady or the share of the budget is spent; also says how long a pair takes."""
    deadline = time.perf_counter() + budget_s
    seen_a: list[float] = []
    seen_b: list[float] = []
    steady = False
    while not steady and (len(seen_a) < 3 or time.perf_counter() < deadline):
        a_s, b_s = _time_pair(clock, a, b, calls, a_first=True)
        seen_a.append(a_s)
        seen_b.append(b_s)
        steady = stats.is_steady(seen_a) and stats.is_steady(seen_b)
    return steady, (median(seen_a[-8:]) + median(seen_b[-8:])) * calls


def _gather(outcomes: Sequence[Outcome], setup: Setup, names: tuple[str, str], margin: float) -> Comparison:
    for outcome in outcomes:
        if outcome.ended != "returned":
            return _failed(*status_of_outcome(outcome), setup, names)
    return _compared([outcome.value for outcome in outcomes], setup, names, margin)


def _failed(status: Status, reason: str, setup: Setup, names: tuple[str, str]) -> Comparison:
    a, b = (Measurement(name=name, setup=setup, unit="s", status=status, reason=reason) for name in names)
    return Comparison(a, b, None, ())


def _compared(parts: Sequence[Pairs], setup: Setup, names: tuple[str, str], margin: float) -> Comparison:
    a_s = tuple(sample for part in parts for sample in part.a)
    b_s = tuple(sample for part in parts for sample in part.b)
    facts: dict[str, Scalar] = {"processes": len(parts), "steady": all(part.steady for part in parts), "paired": True}
    a, b = (
        Measurement(
            name=name,
            setup=setup,
            unit="s",
            samples=samples,
            protocol="paired",
            calls_per_sample=parts[0].calls_per_sample,
            facts=facts,
        )
        for name, samples in zip(names, (a_s, b_s), strict=True)
    )
    process_ratios = tuple(stats.paired_ratio(part.a, part.b).ratio for part in parts)
    return Comparison(a, b, stats.paired_ratio(a_s, b_s, band=stats.band_around(margin)), process_ratios)

"""Is B faster than A? A contest of two in several fresh processes, and no answer where the samples don't support one.

Measuring A and then B finds a difference between A and A in more than half of the cases on a shared machine, because
the machine drifts in between; a contest does not. But one process can be lucky with its memory layout, and a tight
interval in one has reversed in the next: so several fresh processes hold the contest, and a difference is declared only
if every one of them points the same way.
"""

import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial

import msgspec

from torchstone import stats
from torchstone.backends import find_device
from torchstone.errors import UserError
from torchstone.measuring.agreeing import ALIKE, Answers
from torchstone.measuring.clock import Call, Clock
from torchstone.measuring.contest import Contest
from torchstone.measuring.rivals import LONG_CALL_S, WARM_UP_CALLS, Rival, synchronizer
from torchstone.measuring.spelling import spell_number
from torchstone.measuring.sync_audit import audit_within
from torchstone.measuring.timing import check_budget, complete_setup, interrupt_after, status_of_outcome
from torchstone.measuring.waiting import watch_of
from torchstone.processes import ForkServer, Limits, Outcome, fork_server_where_safe, run_spawned
from torchstone.records import Measurement, Scalar, Setup
from torchstone.stats import Interval, PairedRatio, Verdict

PROCESSES = 3
BUDGET_S = 10.0
PATIENCE = 3.0
"""Times the whole budget, for a call: what takes longer than this hangs."""
SLOW_CALLS = 6
"""Two of A, two of B and a round are made however slow they are."""
START_UP_S = 120.0
"""What a process that is started anew may take beyond that, for importing torch; less where it is forked."""
FORKED_START_UP_S = 10.0
QUICK_S = 1.0
"""A process that takes no longer is started although the budget is spent: one alone says little."""
FAR_BELOW = 0.1
AUDIT_SHARE = 0.1
"""Of a process's seconds, for finding out whether the device is waited for."""


@dataclass(frozen=True)
class Part:
    """What one process found: A and B with aligned samples, and the seconds that it took."""

    a: Measurement
    b: Measurement
    spent_s: float
    answers: str = ALIKE
    """Whether A and B gave the same, in words."""


@dataclass(frozen=True)
class Comparison:
    """B against A. `ratio` is B's time over A's; below 1 means that B is faster."""

    a: Measurement
    b: Measurement
    ratio: PairedRatio | None
    """None where one of the two could not be measured; the measurements say why."""
    process_ratios: tuple[float, ...]
    """Each process's own median ratio."""
    answers: str = ALIKE
    """Whether A and B gave the same: `alike`, or a sentence that says where not, or why that could not be told."""

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

    def __repr__(self) -> str:
        if self.ratio is None:
            return f"cannot be compared: {self._why_not()}"
        interval = self.ratio.interval
        span = f" (95 %: {_figures(interval)})" if interval else " (too few rounds for an interval)"
        words = {
            "faster": f"{self.b.name} is {spell_number(1 / self.ratio.ratio)}× as fast as {self.a.name}",
            "slower": f"{self.b.name} takes {spell_number(self.ratio.ratio)}× the time of {self.a.name}",
            "same": f"{self.a.name} and {self.b.name} are the same within {self.ratio.band.high - 1:.1%}",
            "unclear": f"no difference can be told between {self.a.name} and {self.b.name}",
        }[self.verdict]
        where = f"{len(self.process_ratios)} processes" if len(self.process_ratios) > 1 else "one process"
        rounds = "1 round" if self.ratio.rounds == 1 else f"{self.ratio.rounds} rounds"
        doubt = "" if self.answers == ALIKE else f"; but {self.answers}"
        return f"{words}: ratio {_ratio_figures(self.ratio.ratio)}{span}, {rounds} in {where}{doubt}"

    def _why_not(self) -> str:
        """Who of the two could not be measured, and why; of both where that can't be told, as of a lost process."""
        a, b = ((one.status.replace("_", " "), one.reason) for one in (self.a, self.b))
        if a == b:
            return f"{self.a.name} or {self.b.name}, which ran in one process: {a[0]}: {a[1]}"
        lost = [(one.name, *told) for one, told in ((self.a, a), (self.b, b)) if one.status != "ok"]
        return "; ".join(f"{name}: {status}: {reason}" for name, status, reason in lost) or "there are no samples"

    def _repr_html_(self) -> str:
        from torchstone.report.notebooks import comparison_html

        return comparison_html(str(self), self.a, self.b, self.ratio, self.verdict)


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
    until_decided: bool = True,
    server: ForkServer | None = None,
) -> Comparison:
    """Compare two calls in `processes` fresh processes, or in this one with `processes=0`.

    Each process goes on until it is decided there or its share of the budget is spent; with `until_decided=False` the
    whole budget is spent. A process that the caller's `server` forks starts at once; without one a server is started
    where forking is safe, and Python is started anew elsewhere.

    The budget is kept as far as a contest can: each call is made twice and a round is run, however slow they are, and
    where that has taken the whole budget, and more than a second, no further process is started. A call that takes
    longer than three times the budget hangs and is ended (with `processes=0` it is not); where Python can't interrupt
    it, its process is ended once such calls could have been made as often as a contest must make them.

    The answers of A and B are compared as well, and the result says where they differ: a speed of something else.
    """
    check_budget(budget_s)
    if not 0 <= margin < float("inf"):
        raise UserError(f"a margin of {margin:g} cannot be", "give a share of a time, such as 0.01 for 1 %")
    if processes < 0:
        raise UserError(f"{processes} processes cannot be", "give 3 or more, or 0 to compare in this process")
    _, found = find_device(device)
    setup = complete_setup(setup, found.id)
    job = Job(a, b, names, setup, margin, until_decided)
    if processes == 0:
        return _compared([job.hold(budget_s)], margin)
    with nullcontext(server) if server is not None else fork_server_where_safe(found.kind) as ready:
        outcomes = _run_afresh(job, processes, budget_s, ready)
    if outcomes[-1].ended != "returned":
        return _failed(outcomes[-1], setup, names)
    return _compared([outcome.value for outcome in outcomes], margin)


def compare_in_process(
    a: Call,
    b: Call,
    *,
    device: str = "cpu",
    names: tuple[str, str] = ("A", "B"),
    setup: Setup | None = None,
    budget_s: float = BUDGET_S,
    margin: float = stats.MARGIN,
) -> Comparison:
    """Compare two calls in this process: quicker, but blind to what differs from process to process."""
    return compare(a, b, device=device, names=names, setup=setup, processes=0, budget_s=budget_s, margin=margin)


@dataclass(frozen=True)
class Job:
    """What every process is asked to do."""

    a: Call
    b: Call
    names: tuple[str, str]
    setup: Setup
    margin: float
    until_decided: bool

    def hold(self, seconds: float, patience_s: float | None = None) -> Part:
        """The contest of the two, in this process; who takes longer than `patience_s` for a call leaves it."""
        started = time.perf_counter()
        backend, device = find_device(self.setup.device)
        clock = Clock(backend, device.id)
        with interrupt_after(patience_s):
            unwaited = None if device.kind == "cpu" else self._explain_unwaited(clock, seconds)
        if unwaited is not None:
            return self._unwaited(unwaited, time.perf_counter() - started)
        wait = synchronizer(backend, device.id)
        watches = [watch_of(clock, device.kind) for _ in self.names]
        answers = Answers(dict(zip("ab", self.names, strict=True)))
        rivals = [
            Rival(key, call, wait, check=partial(answers.take, key), watch=watch)
            for key, call, watch in zip("ab", (self.a, self.b), watches, strict=True)
        ]
        contest = Contest(
            rivals,
            goal="against_baseline" if self.until_decided else "all_rounds",
            band=stats.band_around(self.margin),
            patience_s=patience_s,
        )
        found = contest.run(within_s=seconds)
        refused = next((watch.reason for watch in watches if watch is not None and watch.reason is not None), None)
        if refused is not None:
            return self._unwaited(refused, time.perf_counter() - started)
        title = " against ".join(reversed(self.names))
        a, b = (
            found[key].as_measurement(name, self.setup, contest=title)
            for key, name in zip("ab", self.names, strict=True)
        )
        return Part(a, b, time.perf_counter() - started, answers.words())

    def _explain_unwaited(self, clock: Clock, seconds: float) -> str | None:
        """Why the device's synchronize can't be trusted, or None: by the first call that gives a value to read back."""
        for call in (self.a, self.b):
            try:
                if clock.time_readback(call) is None:
                    continue
                return audit_within(clock, call, AUDIT_SHARE * seconds)[1]
            except Exception:  # the contest records what it raises
                return None
        return None

    def _unwaited(self, reason: str, spent_s: float) -> Part:
        """Neither can be believed where nobody waited for the device in one of them."""
        a, b = (
            Measurement(name=name, setup=self.setup, unit="s", status="wrong", reason=reason) for name in self.names
        )
        return Part(a, b, spent_s)

    def hold_afresh(self, seconds: float, patience_s: float) -> Part:
        """In a fresh process: with the thread count of the one that asked. What Python can't interrupt ends with the
        process."""
        import torch

        if self.setup.threads is not None:
            torch.set_num_threads(self.setup.threads)
        return self.hold(seconds, patience_s)


def _run_afresh(job: Job, processes: int, budget_s: float, server: ForkServer | None) -> list[Outcome]:
    """One process after the other, until one is lost or the budget is spent; what one leaves of its seconds goes to
    those after it."""
    run = server.run if server is not None else run_spawned
    patience_s = PATIENCE * budget_s
    warming_s = 2 * WARM_UP_CALLS * min(patience_s, LONG_CALL_S)
    start_up_s = START_UP_S if server is None else FORKED_START_UP_S
    limits = Limits(seconds=SLOW_CALLS * patience_s + warming_s + start_up_s)
    outcomes: list[Outcome] = []
    left_s = budget_s
    for waiting in range(processes, 0, -1):
        outcomes.append(run(partial(job.hold_afresh, left_s / waiting, patience_s), limits, returns=Part))
        if outcomes[-1].ended != "returned":
            break
        spent_s = outcomes[-1].value.spent_s
        left_s = max(left_s - spent_s, 0.0)
        if left_s == 0.0 and spent_s > QUICK_S:
            break
    return outcomes


def _failed(outcome: Outcome, setup: Setup, names: tuple[str, str]) -> Comparison:
    status, reason = status_of_outcome(outcome)
    a, b = (Measurement(name=name, setup=setup, unit="s", status=status, reason=reason) for name in names)
    return Comparison(a, b, None, ())


def _compared(parts: Sequence[Part], margin: float) -> Comparison:
    """One process is looked at as a contest is; of several all ratios count at once, so that none has the last word."""
    answers = next((part.answers for part in parts if part.answers != ALIKE), ALIKE)
    a, b = _glue([part.a for part in parts], answers), _glue([part.b for part in parts], answers)
    if any(one.status != "ok" or not one.samples for one in (a, b)):
        return Comparison(a, b, None, ())
    band = stats.band_around(margin)
    ratio = stats.paired_ratio(a.samples, b.samples, band=band, intersected=len(parts) == 1)
    process_ratios = tuple(stats.paired_ratio(part.a.samples, part.b.samples, band=band).ratio for part in parts)
    return Comparison(a, b, ratio, process_ratios, answers)


def _figures(interval: Interval) -> str:
    return f"{_ratio_figures(interval.low)}–{_ratio_figures(interval.high)}"


def _ratio_figures(ratio: float) -> str:
    """Three digits behind the point, which tell half a percent; three that count of what is far below 1."""
    return f"{ratio:.3f}" if ratio >= FAR_BELOW else f"{ratio:.3g}"


def _glue(parts: Sequence[Measurement], answers: str) -> Measurement:
    """One record of several processes' samples; they are aligned, but no longer the rounds of one contest."""
    facts: dict[str, Scalar] = {"processes": len(parts), "answers": answers}
    failed = next((part for part in parts if part.status != "ok"), None)
    if len(parts) == 1 or failed is not None:
        return msgspec.structs.replace(failed or parts[0], facts=facts)
    facts["rounds by process"] = ", ".join(str(len(part.samples)) for part in parts)
    samples = tuple(sample for part in parts for sample in part.samples)
    return msgspec.structs.replace(parts[0], samples=samples, contest=None, facts=facts)

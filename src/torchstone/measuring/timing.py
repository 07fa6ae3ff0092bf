"""How long a call takes: warmed up, synchronized, with every raw sample kept.

The clock stops only when the device has finished, because on an accelerator a call returns when the work is queued,
not when it is done. The sync audit shows what the same call would have seemed to take without waiting.
"""

import gc
import math
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any

import msgspec

from torchstone import stats
from torchstone.backends import find_device
from torchstone.errors import UserError, named_line
from torchstone.machine.dtypes import DTYPES
from torchstone.measuring.clock import Call as Call
from torchstone.measuring.clock import Clock
from torchstone.measuring.sync_audit import audit_within
from torchstone.measuring.waiting import NoWaitError, WaitWatch, watch_of
from torchstone.processes import Limits, Outcome, Raised, cut, is_out_of_memory, run_spawned, tell_error
from torchstone.records import Measurement, Scalar, Setup, Status

Verify = Callable[[Any], str | None]
"""Looks at a call's output and says what is wrong with it, or None."""

BUDGET_S = 2.0
MIN_SAMPLE_S = 1e-3
"""A sample lasts at least this long (several calls of a short kernel), so that the clock's own cost does not count."""
MAX_SAMPLES = 1000
MIN_SAMPLES = 5
PROBES = 3
WARM_UP_SHARE = 0.3
"""Of the budget, for warming up at most; then we measure anyway and say that it was not steady."""
REASON_LIMIT = 500
"""Characters of an exception's message in a record: some hold a whole tensor."""
VERIFY_EVERY = 100
"""Outputs are verified again after so many samples: MPS reductions have failed in rapid succession (pytorch#178497)."""


class OutOfTimeError(Exception):
    """The call did not end within its time limit."""


def measure(
    call: Call,
    *,
    name: str = "call",
    device: str = "cpu",
    setup: Setup | None = None,
    budget_s: float = BUDGET_S,
    calls_per_sample: int | None = None,
    max_samples: int = MAX_SAMPLES,
    audit: bool | None = None,
    verify: Verify | None = None,
    timeout_s: float | None = None,
    isolated: bool = False,
    now: Callable[[], float] = time.perf_counter,
) -> Measurement:
    """Time `call` on `device` and keep every sample.

    A call that raises, runs out of memory, gives a wrong output or does not end becomes a `Measurement` with that
    status and its reason. So does one on a device whose synchronize does not wait: the samples are looked at for that
    everywhere but on the CPU, and an `audit` (on the CPU there is none unless asked for) before them.

    `budget_s` is kept as far as a measurement can: a call that is slow beside it is still made 7 times, once as the
    first, once to warm up and 5 times as samples. `timeout_s` interrupts Python code; a call that hangs inside a driver
    can be ended only with `isolated=True`, which measures in a newly started process, and ends it after `timeout_s`, or
    ten times the budget and a minute.
    """
    check_budget(budget_s)
    check_count("max_samples", max_samples)
    check_count("calls_per_sample", calls_per_sample)
    if isolated:
        return _measure_isolated(call, name, device, setup, budget_s, timeout_s, verify)
    backend, found = find_device(device)
    setup = complete_setup(setup, found.id)
    clock = Clock(backend, found.id, now)
    wants_audit = found.kind != "cpu" if audit is None else audit
    watch = watch_of(clock, found.kind)
    session = _Session(clock, watch, call, name, setup, budget_s, calls_per_sample, max_samples, verify)
    with interrupt_after(timeout_s):
        return session.run(wants_audit)


def check_budget(budget_s: float) -> None:
    """A budget is a positive number of seconds."""
    if not 0 < budget_s < float("inf"):
        raise UserError(f"a budget of {budget_s:g} s measures nothing", "give a positive number of seconds")


def check_count(name: str, count: int | None) -> None:
    """A number of samples, calls or windows is at least 1."""
    if count is not None and count < 1:
        raise UserError(f"{name}={count} measures nothing", "give 1 or more")


def complete_setup(setup: Setup | None, device_id: str) -> Setup:
    """The setup with what is in force here: the device and torch's threads."""
    import torch

    setup = setup or Setup()
    check_dtype(setup.dtype)
    return msgspec.structs.replace(setup, device=device_id, threads=setup.threads or torch.get_num_threads())


def check_dtype(name: str | None) -> None:
    """A dtype is one that torch has."""
    import torch

    if name is not None and not isinstance(getattr(torch, name, None), torch.dtype):
        raise UserError(f"torch has no dtype {name!r}", f"give one such as {', '.join(DTYPES[:4])}")


@dataclass
class _Session:
    """One measurement in the making."""

    clock: Clock
    watch: WaitWatch | None
    call: Call
    name: str
    setup: Setup
    budget_s: float
    calls_per_sample: int | None
    max_samples: int
    verify: Verify | None
    deadline: float = math.inf

    def run(self, wants_audit: bool) -> Measurement:
        self.deadline = self.clock.now() + self.budget_s
        first_call_s: float | None = None
        compile_s: float | None = None
        samples: list[float] = []
        audit: dict[str, tuple[float, ...]] = {}
        facts: dict[str, Scalar] = {}
        try:
            with compile_seconds() as compiled:
                first_call_s, output = self.clock.time_synchronized(self.call)
            compile_s = compiled[0] if compiled else None
            self._refuse_wrong(output)
            del output
            calls = self.calls_per_sample or calls_for_a_sample(self._probe())
            left_s = self.deadline - self.clock.now()
            with without_garbage_collection():
                self.deadline = self.clock.now() + left_s  # collecting is no part of the budget
                if wants_audit:
                    audit = self._audit()
                facts["warm-up samples"], facts["steady"] = self._warm_up(calls)
                samples = self._sample(calls)
        except Exception as error:  # the exception is the result
            status, reason = status_of(error)
            if isinstance(error, NoWaitError):
                audit = error.audit or audit  # which shows it
            return self._record((), status, reason, first_call_s=first_call_s, audit=audit)
        if wants_audit and "readback" not in audit:
            facts["readback"] = "the call returns no tensor to read back"
        return self._record(
            tuple(samples),
            calls_per_sample=calls,
            first_call_s=first_call_s,
            compile_s=compile_s,
            audit=audit,
            facts=facts,
        )

    def _audit(self) -> dict[str, tuple[float, ...]]:
        """Before anything is timed: on a device that nobody waits for, the samples would leave work for minutes."""
        audit, reason = audit_within(self.clock, self.call, WARM_UP_SHARE * self.budget_s, self.watch)
        if reason is not None:
            raise NoWaitError(reason, audit)
        return audit

    def _record(
        self, samples: tuple[float, ...], status: Status = "ok", reason: str | None = None, **rest: Any
    ) -> Measurement:
        return Measurement(
            name=self.name, setup=self.setup, unit="s", samples=samples, status=status, reason=reason, **rest
        )

    def _probe(self) -> float:
        """Seconds a call once the first is over; the least of three, as the second call is often still slow. Of a call
        that is a sample by itself one tells enough."""
        seconds: list[float] = []
        while len(seconds) < PROBES and (not seconds or seconds[-1] < MIN_SAMPLE_S):
            seconds.append(self._time(1)[0])
        return min(seconds)

    def _warm_up(self, calls: int) -> tuple[int, bool]:
        """How many samples were spent, and whether they had become steady. None where the call is so slow that the
        fewest samples fill what is left of the budget."""
        deadline = self.clock.now() + self.budget_s * WARM_UP_SHARE
        seen: list[float] = []
        while not stats.is_steady(seen):
            if self.clock.now() > min(deadline, self.deadline):
                return len(seen), False
            seen.append(self._time(calls)[0])
        return len(seen), True

    def _sample(self, calls: int) -> list[float]:
        deadline = min(self.deadline, self.clock.now() + self.budget_s * (1.0 - WARM_UP_SHARE))
        samples: list[float] = []
        output: Any = None
        fewest = min(MIN_SAMPLES, self.max_samples)
        while len(samples) < fewest or (len(samples) < self.max_samples and self.clock.now() < deadline):
            output = None
            seconds, output = self._time(calls)
            samples.append(seconds)
            if len(samples) % VERIFY_EVERY == 0:
                self._refuse_wrong(output)
        self._refuse_wrong(output)
        if self.watch is not None:
            self.watch.settle(lambda: self._time(calls))
        return samples

    def _time(self, calls: int) -> tuple[float, Any]:
        """A sample in seconds a call, and its output; looked at where a device may not have been waited for."""
        return (self.clock if self.watch is None else self.watch).time_synchronized(self.call, calls)

    def _refuse_wrong(self, output: Any) -> None:
        wrong = self.verify(output) if self.verify is not None else None
        if wrong is not None:
            raise WrongOutputError(wrong)


class WrongOutputError(Exception):
    """A timed call gave a wrong output: its speed means nothing."""


def calls_for_a_sample(call_s: float) -> int:
    """How many calls make a sample that is long enough for the clock."""
    return max(1, round(MIN_SAMPLE_S / max(call_s, 1e-9)))


def sync_gap(measurement: Measurement) -> float | None:
    """How many times faster the call seemed without synchronization; None where it was not audited."""
    unsynchronized = measurement.audit.get("none")
    if not unsynchronized or not measurement.samples:
        return None
    return median(measurement.samples) / max(median(unsynchronized), 1e-12)


def status_of(error: BaseException) -> tuple[Status, str]:
    """What an exception means for a measurement: wrong, out of memory, unsupported by the device, or plainly failed."""
    if isinstance(error, WrongOutputError | NoWaitError):
        return "wrong", str(error)
    return _status_of_told(tell_error(error), is_out_of_memory(error))


def _status_of_told(error: Raised, out_of_memory: bool) -> tuple[Status, str]:
    reason = cut(named_line(error.name, error.message), REASON_LIMIT)
    if out_of_memory:
        return "out_of_memory", reason
    text = error.message.lower()
    says_unsupported = any(
        phrase in text
        for phrase in (
            "not implemented",
            "not currently implemented",
            "not supported",
            "doesn't support",
            "unsupported",
        )
    )
    may_say_so = error.is_a(RuntimeError) or error.is_a(TypeError)
    if error.is_a(NotImplementedError) or (may_say_so and says_unsupported):
        return "unsupported", reason
    return "failed", reason


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Collect now, not inside a sample."""
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def interrupt_after(seconds: float | None) -> Iterator[None]:
    """Raise `OutOfTimeError` in the block when its time is over; Unix and the main thread only, else no limit."""
    if seconds is None or not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: object) -> None:
        raise OutOfTimeError(f"did not end within {seconds:g} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def compile_seconds() -> Iterator[list[float]]:
    """Fill the list with what torch.compile says it spent inside the block; leave it empty if it did nothing."""
    spent: list[float] = []
    before = _compile_total()
    yield spent
    gained = _compile_total() - before
    if gained > 0:
        spent.append(gained)


def _compile_total() -> float:
    # Only where dynamo is loaded already: loading it to ask costs seconds.
    utilities = sys.modules.get("torch._dynamo.utils")
    if utilities is None:
        return 0.0
    metrics = getattr(utilities, "compilation_time_metrics", {})
    return float(sum(metrics.get("_compile.compile_inner", ())))


def _measure_isolated(
    call: Call,
    name: str,
    device: str,
    setup: Setup | None,
    budget_s: float,
    timeout_s: float | None,
    verify: Verify | None,
) -> Measurement:
    limits = Limits(seconds=timeout_s if timeout_s is not None else 60.0 + 10.0 * budget_s)
    outcome = run_spawned(
        lambda: measure(call, name=name, device=device, setup=setup, budget_s=budget_s, verify=verify),
        limits,
        returns=Measurement,
    )
    if outcome.ended == "returned":
        measurement: Measurement = outcome.value
        return measurement
    status, reason = status_of_outcome(outcome)
    return Measurement(name=name, setup=setup or Setup(device=device), unit="s", status=status, reason=reason)


def status_of_outcome(outcome: Outcome) -> tuple[Status, str]:
    """What it means for a measurement when its process did not return."""
    if outcome.error is not None:
        return _status_of_told(outcome.error, outcome.ended == "out_of_memory")
    return ("out_of_memory" if outcome.ended == "out_of_memory" else "failed"), outcome.detail

"""Keep a measurement within its seconds, however slow one call is.

`timing.measure` wants some twelve calls on the CPU and three dozen on an accelerator, because warming up, sampling and
the sync audit each need several. Where one call takes seconds, fewer are made, and the record says how many.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from torchstone.backends import find_device
from torchstone.measuring.timing import (
    AUDIT_SAMPLES,
    MIN_SAMPLES,
    Call,
    Clock,
    Verify,
    WrongOutputError,
    compile_seconds,
    complete_setup,
    measure,
    status_of,
)
from torchstone.records import Measurement, Scalar, Setup, Status

CALLS_BESIDE_SAMPLES = 4
"""What `measure` makes before it looks at its budget: a first call and three to see how long one takes."""
AUDIT_CALLS = 2 * AUDIT_SAMPLES + 1
FEW_AUDIT_CALLS = 3
KEPT_FOR_MEASURING = 0.5
OVERRUN = 1.2
"""How far a case may exceed its seconds."""
SECOND_CHANCE = 2.0
"""Times its seconds that a first call may take, and a second is made all the same: a first call builds kernels, and
on a slow device takes a hundred times as long as those after it."""


@dataclass
class Allowance:
    """The seconds that a case may spend, counting down."""

    seconds: float
    now: Callable[[], float] = time.perf_counter
    started: float = field(init=False)

    def __post_init__(self) -> None:
        self.started = self.now()

    @property
    def spent_s(self) -> float:
        return self.now() - self.started

    @property
    def left_s(self) -> float:
        return self.seconds - self.spent_s

    def after_preparation(self) -> "Allowance":
        """What is left for measuring, at least half of what was granted: on a busy machine building a model may take
        all, and then a model would be built for nothing. Those that come later get less."""
        return Allowance(max(self.left_s, KEPT_FOR_MEASURING * self.seconds), self.now)

    def allows(self, seconds: float) -> bool:
        """Whether so much more keeps within the overrun that is granted."""
        return self.spent_s + seconds <= self.seconds * OVERRUN


def skipped(name: str, setup: Setup, reason: str, unit: str = "s", **rest: Any) -> Measurement:
    """The record of something that was not done, and why."""
    return Measurement(name=name, setup=setup, unit=unit, status="skipped", reason=reason, **rest)


def spell_seconds(seconds: float) -> str:
    """For reasons: two digits, and never a power of ten."""
    return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:,.0f} s"


def measure_within(
    call: Call,
    allowance: Allowance,
    *,
    name: str,
    setup: Setup,
    verify: Verify | None = None,
    audit: bool | None = None,
    enough_s: float = math.inf,
    is_small: bool = False,
) -> Measurement:
    """Time `call` as well as the seconds left allow; a quick one for `enough_s` at most.

    Of something known to be small, a long first call is the building of kernels: a second is made whatever it took.
    """
    backend, device = find_device(setup.device)
    wants_audit = device.kind != "cpu" if audit is None else audit
    clock = Clock(backend, device.id)
    trial = _Trial(clock, call, allowance, name, complete_setup(setup, device.id), verify, enough_s, is_small)
    return trial.run(wants_audit)


@dataclass
class _Trial:
    clock: Clock
    call: Call
    allowance: Allowance
    name: str
    setup: Setup
    verify: Verify | None
    enough_s: float
    is_small: bool
    first_call_s: float | None = None
    compile_s: float | None = None

    def run(self, wants_audit: bool) -> Measurement:
        try:
            with compile_seconds() as compiled:
                self.first_call_s = self._verified_call()
            self.compile_s = compiled[0] if compiled else None
            if not self.is_small and self.first_call_s > SECOND_CHANCE * self.allowance.seconds:
                return self._no_time_left(self.first_call_s)
            call_s = self._verified_call()
            beside = CALLS_BESIDE_SAMPLES + (AUDIT_CALLS if wants_audit else 0)
            if call_s * (beside + MIN_SAMPLES) < self.allowance.left_s:
                return self._measure_fully(min(self.allowance.left_s - beside * call_s, self.enough_s), wants_audit)
            return self._measure_few(call_s, wants_audit)
        except WrongOutputError as error:
            return self._refused("wrong", str(error))
        except Exception as error:  # the exception is the result
            return self._refused(*status_of(error))

    def _measure_fully(self, budget_s: float, wants_audit: bool) -> Measurement:
        found = measure(
            self.call,
            name=self.name,
            device=self.setup.device,
            setup=self.setup,
            budget_s=budget_s,
            audit=wants_audit,
            verify=self.verify,
        )
        # The true first call is ours: it came before.
        return msgspec.structs.replace(found, first_call_s=self.first_call_s, compile_s=self.compile_s)

    def _measure_few(self, call_s: float, wants_audit: bool) -> Measurement:
        audited = wants_audit and self.allowance.left_s > 2 * FEW_AUDIT_CALLS * call_s
        kept_s = 2 * FEW_AUDIT_CALLS * call_s if audited else 0.0
        samples = [call_s]
        while self.allowance.left_s - kept_s >= 2 * call_s:
            samples.append(self.clock.time_synchronized(self.call)[0])
        # The last is verified again, whatever it costs; a single one has been.
        if len(samples) > 1 or self.allowance.left_s - kept_s >= call_s:
            samples.append(self._verified_call())
        facts: dict[str, Scalar] = {"warm-up samples": 0, "steady": False, "few samples": "one call takes long"}
        return Measurement(
            name=self.name,
            setup=self.setup,
            unit="s",
            samples=tuple(samples),
            first_call_s=self.first_call_s,
            compile_s=self.compile_s,
            audit=self._audit_few() if audited else {},
            facts=facts,
        )

    def _audit_few(self) -> dict[str, tuple[float, ...]]:
        found: dict[str, list[float]] = {"none": [], "readback": []}
        for _ in range(FEW_AUDIT_CALLS):
            found["none"].append(self.clock.time_unsynchronized(self.call))
            readback_s = self.clock.time_readback(self.call)
            if readback_s is not None:
                found["readback"].append(readback_s)
        return {way: tuple(samples) for way, samples in found.items() if samples}

    def _verified_call(self) -> float:
        seconds, output = self.clock.time_synchronized(self.call)
        wrong = self.verify(output) if self.verify is not None else None
        if wrong is not None:
            raise WrongOutputError(wrong)
        return seconds

    def _no_time_left(self, first_call_s: float) -> Measurement:
        taken, granted = spell_seconds(first_call_s), spell_seconds(self.allowance.seconds)
        reason = f"the first call took {taken}, where {granted} were granted: give more --budget"
        return skipped(self.name, self.setup, reason, first_call_s=first_call_s, compile_s=self.compile_s)

    def _refused(self, status: Status, reason: str) -> Measurement:
        return Measurement(
            name=self.name,
            setup=self.setup,
            unit="s",
            status=status,
            reason=reason,
            first_call_s=self.first_call_s,
            compile_s=self.compile_s,
        )

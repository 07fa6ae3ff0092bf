"""A subject answering on a device: its call, who judges it, and the record of each thing that can be measured of it.

Nothing raised in here escapes: what a model or a device refuses becomes a record with that status.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import msgspec
import torch

from torchstone.backends import NoEnergyCounter, find_device
from torchstone.configurations import Configuration, place_inputs, place_model, setup_of
from torchstone.correctness import Judge, explain_not_finite
from torchstone.measuring.energy import measure_energy
from torchstone.measuring.latency import Pace, measure_latency
from torchstone.measuring.memory import measure_peak_memory
from torchstone.measuring.timing import Call, status_of
from torchstone.models.foreign import describe_failure
from torchstone.records import Measurement, Scalar, Setup
from torchstone.trials.affording import Allowance, measure_within, skipped, spell_seconds
from torchstone.trials.possible import refuse_beyond_peak
from torchstone.trials.subjects import SMALL_MODEL, Subject, explain_unjudgeable

TIMING_SHARE = 0.75
"""Of a case's seconds, for the times; the rest is for memory and energy."""
ENERGY_CALLS = 8
"""What measuring energy takes at least: a warm-up, five windows of one call, and as long idle before."""
NO_TIME = "no seconds were left: give more --budget"
PACES: tuple[Pace, ...] = ("hot", "paced", "sustained")
LATENCY_WARM_UP_CALLS = 6


@dataclass(frozen=True)
class Attempt:
    """A subject placed on a device, ready to be called."""

    name: str
    setup: Setup
    call: Call
    judge: Judge | None
    """None where its output cannot be judged; `facts` say why."""
    facts: dict[str, Scalar]
    subject: Subject
    is_plain: bool = True

    def remember(self, timed: Measurement) -> None:
        """How long a row takes on this device, from the samples or, where there are none, half the first call."""
        first_s = timed.first_call_s or 0.0
        seconds = min(timed.samples) if timed.samples else first_s / 2
        self.subject.row_seconds[self.setup.device] = seconds / int(self.facts["batch"] or 1)

    def finished(self, record: Measurement) -> Measurement:
        """The record with what is known of the subject and of how right it was."""
        judged = self.judge.facts() if self.judge is not None else {}
        return msgspec.structs.replace(record, facts={**self.facts, **judged, **record.facts})

    def believed(self, record: Measurement) -> Measurement:
        """The record, marked wrong where the device can't have computed so much in its time."""
        if record.status != "ok":
            return record
        return refuse_beyond_peak(record, self.subject.least_flops(int(self.facts["batch"] or 1)))

    def refused(self, record: Measurement) -> Measurement:
        """The record of something timed without a judge, marked wrong where one more call is wrong."""
        if self.judge is None or record.status != "ok":
            return self.finished(record)
        wrong = self.judge(self.call())
        if wrong is None:
            return self.finished(record)
        return msgspec.structs.replace(self.finished(record), status="wrong", reason=wrong, samples=())


def prepare(subject: Subject, batch: int, configuration: Configuration, device_id: str, name: str) -> Attempt:
    """Place the subject and find out who judges it; raises what the model or the device raises."""
    doubt = explain_unjudgeable(subject)
    judge = subject.judge(batch, configuration.dtype) if doubt is None else None
    facts: dict[str, Scalar] = {**subject.facts(batch), "precision": configuration.precision}
    if doubt is not None:
        facts["not verified"] = doubt
    model = place_model(subject.model, configuration, device_id)
    inputs = place_inputs(subject.inputs(batch), configuration, device_id)

    def call() -> Any:
        with torch.inference_mode():
            return model(*inputs.args, **inputs.kwargs)

    return Attempt(name, setup_of(configuration, device_id), call, judge, facts, subject, configuration.is_plain)


def prepared(
    subject: Subject, batch: int, configuration: Configuration, device_id: str, name: str, allowance: Allowance
) -> Attempt | Measurement:
    """An attempt, or the record that says why there can be none."""
    setup = setup_of(configuration, device_id)
    # One thread can be faster than all of them on a busy machine: no time of theirs tells.
    hopeless = _explain_hopeless(subject, batch, device_id, allowance) if configuration.threads is None else None
    if hopeless is not None:
        return skipped(name, setup, hopeless)
    try:
        attempt = prepare(subject, batch, configuration, device_id, name)
        nonsense = explain_not_finite(subject.exact())
    except Exception as error:  # somebody else's code on somebody's device: the exception is the result
        status, reason = status_of(error)
        shown = reason if status != "failed" else describe_failure(error)
        return Measurement(name=name, setup=setup, unit="s", status=status, reason=shown)
    if nonsense is not None:
        return Measurement(name=name, setup=setup, unit="s", status="wrong", reason=nonsense, facts=attempt.facts)
    return attempt


def _explain_hopeless(subject: Subject, batch: int, device_id: str, allowance: Allowance) -> str | None:
    """Why it is not begun: by what a row took before, two calls would not fit."""
    expected_s = subject.row_seconds.get(device_id, 0.0) * subject.rows(batch)
    granted = allowance.after_preparation()
    if expected_s == 0 or granted.allows(2 * expected_s):
        return None
    expected, left = spell_seconds(expected_s), spell_seconds(granted.seconds)
    return f"a call would take about {expected}, and {left} are left: give more --budget"


def measure_speed(attempt: Attempt, allowance: Allowance, enough_s: float = math.inf) -> Iterator[Measurement]:
    """Time, then peak memory and energy as far as the seconds go; a quick model is timed for `enough_s` at most."""
    allowance = allowance.after_preparation()
    timed = measure_within(
        attempt.call,
        Allowance(allowance.left_s * TIMING_SHARE),
        name=attempt.name,
        setup=attempt.setup,
        verify=attempt.judge,
        enough_s=enough_s,
        is_small=attempt.subject.name == SMALL_MODEL,
    )
    attempt.remember(timed)
    left_s = allowance.left_s
    timed = attempt.believed(timed)
    # Measuring the device's peak is for all cases together, and not taken from the one that happens to be first.
    allowance = Allowance(left_s, allowance.now)
    yield attempt.finished(timed)
    if timed.status == "ok":
        call_s = min(timed.samples)
        beside = chain(_measure_memory(attempt, allowance, call_s), _measure_energy(attempt, allowance, call_s))
        # That a counter is missing need not be said again for every other setup.
        yield from (record for record in beside if attempt.is_plain or record.status != "skipped")


def measure_latencies(attempt: Attempt, allowance: Allowance) -> Iterator[Measurement]:
    """Hot, paced and sustained, a third of the seconds each."""
    allowance = allowance.after_preparation()
    for position, pace in enumerate(PACES):
        seconds = allowance.left_s / (len(PACES) - position)
        name = f"{attempt.name}/latency={pace}"
        call_s = time_once(attempt)
        if isinstance(call_s, Measurement):
            yield msgspec.structs.replace(call_s, name=name)
            return
        warm_up_s = LATENCY_WARM_UP_CALLS * call_s
        if warm_up_s + call_s > seconds:
            yield skipped(name, attempt.setup, f"one call takes {call_s:.2g} s: give more --budget", quantity="latency")
            continue
        found = measure_latency(
            attempt.call,
            pace,
            name=name,
            device=attempt.setup.device,
            setup=attempt.setup,
            budget_s=seconds - warm_up_s,
        )
        yield attempt.refused(attempt.believed(found))


def time_once(attempt: Attempt) -> float | Measurement:
    """Seconds of one call, verified; the record of its failure where it fails."""
    allowance = Allowance(0.0)
    found = measure_within(attempt.call, allowance, name=attempt.name, setup=attempt.setup, verify=attempt.judge)
    if found.status in ("ok", "skipped") and found.first_call_s is not None:
        return found.first_call_s
    return attempt.finished(found)


def _measure_memory(attempt: Attempt, allowance: Allowance, call_s: float) -> Iterator[Measurement]:
    name = f"{attempt.name}/memory"
    if not allowance.allows(call_s):
        yield skipped(name, attempt.setup, NO_TIME, unit="bytes", quantity="peak memory")
        return
    for record in measure_peak_memory(attempt.call, name=name, device=attempt.setup.device, setup=attempt.setup):
        yield attempt.finished(record)


def _measure_energy(attempt: Attempt, allowance: Allowance, call_s: float) -> Iterator[Measurement]:
    name = f"{attempt.name}/energy"
    backend, device = find_device(attempt.setup.device)
    counter = backend.energy_counter(device.id)
    if not isinstance(counter, NoEnergyCounter) and allowance.left_s < ENERGY_CALLS * call_s:
        yield skipped(name, attempt.setup, NO_TIME, unit="J", quantity="energy")
        return
    found = measure_energy(
        attempt.call,
        name=name,
        device=device.id,
        setup=attempt.setup,
        budget_s=max(allowance.left_s, call_s),
        counter=counter,
    )
    yield attempt.finished(found)

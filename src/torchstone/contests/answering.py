"""A subject answering in one setup, as an entrant of a contest: its call, who judges it, what its record says."""

from dataclasses import dataclass
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import nn

from torchstone import engines
from torchstone.contests.race import Entrant, Ready
from torchstone.correctness import Judge, Reference
from torchstone.measuring.plausibility import Arithmetic, count_arithmetic, refuse_beyond_peak
from torchstone.measuring.timing import Verify
from torchstone.models.inputs import move_inputs
from torchstone.models.placing import TF32
from torchstone.models.subject import EXAMPLES, Subject
from torchstone.records import Measurement, Scalar, Setup

_REFERENCES: "WeakKeyDictionary[Subject, Reference]" = WeakKeyDictionary()
_ARITHMETIC: "WeakKeyDictionary[Subject, Arithmetic | None]" = WeakKeyDictionary()


def reference_of(subject: Subject) -> Reference:
    """The float64 answer to its examples, computed once."""
    if subject not in _REFERENCES:
        _REFERENCES[subject] = Reference(subject.model, subject.examples)
    return _REFERENCES[subject]


def arithmetic_of(subject: Subject, batch: int) -> Arithmetic | None:
    """What a call with that batch computes; None where it can't be counted."""
    if subject not in _ARITHMETIC:
        _ARITHMETIC[subject] = count_arithmetic(subject.model, subject.examples)
    one = _ARITHMETIC[subject]
    if one is None or not subject.repeats:
        return one
    return Arithmetic(one.counted * batch / EXAMPLES, one.least * batch / EXAMPLES)


def answering(subject: Subject, setup: Setup, batch: int, tolerance: float | None = None) -> Entrant:
    """The subject in that setup, before anything is built; `tolerance` is a person's own, instead of the judge's."""
    return Entrant(setup, partial(_prepare, _Answering(subject, setup, batch, tolerance)))


@dataclass(frozen=True)
class _Answering:
    subject: Subject
    setup: Setup
    batch: int
    tolerance: float | None = None

    def believe(self, record: Measurement) -> Measurement:
        """Wrong where the device can't have computed so much in its time. Another engine may rightly leave out work
        whose result nobody uses; its answers are checked as well."""
        arithmetic = arithmetic_of(self.subject, self.batch) if self.setup.engine == "eager" else None
        return refuse_beyond_peak(record, None if arithmetic is None else arithmetic.least)


def _prepare(answering: _Answering) -> Ready | str:
    subject, setup, batch = answering.subject, answering.setup, answering.batch
    reference = reference_of(subject)
    prepared = engines.prepare(subject, setup, batch)
    if isinstance(prepared, str):
        return prepared
    is_autocast = setup.precision == "autocast"
    judge = reference.judge(_yardstick(setup), rows=subject.example_of(batch), autocast=is_autocast)

    def facts() -> dict[str, Scalar]:
        arithmetic = arithmetic_of(subject, batch)
        counted: dict[str, Scalar] = {} if arithmetic is None else {"FLOP": arithmetic.counted}
        return {**subject.facts(batch), "reference": reference.source, **counted, **judge.facts()}

    check = judge if answering.tolerance is None else _within(judge, answering.tolerance)
    return Ready(prepared.call, check, facts, answering.believe, prepared.model)


def _within(judge: Judge, tolerance: float) -> Verify:
    """Right is what is off by less than a person tolerates, relative to the largest value."""

    def check(output: Any) -> str | None:
        error = judge.check(output).worst_error
        if error is None or error <= tolerance:
            return None
        return f"is off by {error:.2g}, where {tolerance:g} is tolerated"

    return check


def _yardstick(setup: Setup) -> str | None:
    """In which dtype's own error an output is measured: eight-bit integers are held to what bfloat16 rounds away, TF32
    to float16, which has as many bits."""
    if setup.precision == TF32:
        return "float16"
    return "bfloat16" if setup.precision.startswith("int8") else setup.dtype


def judge_queries(subject: Subject, queries: int) -> Judge:
    """Judges the output for the subject's one query, so many times over."""
    rows = (0,) if subject.repeats else tuple(range(subject.rows(1)))
    return reference_of(subject).judge(rows=rows * queries)


def explain_wrong(subject: Subject, model: nn.Module, device_id: str) -> str | None:
    """What is wrong with the output of the subject's model, which is on the device; None where nothing is."""
    inputs = move_inputs(subject.inputs(EXAMPLES), device_id)
    with torch.no_grad():
        output = model.eval()(*inputs.args, **inputs.kwargs)
    return reference_of(subject).judge(rows=subject.example_of(EXAMPLES))(output)

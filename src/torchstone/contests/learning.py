"""A subject learning in one setup, as an entrant of a contest: one step of training, verified at its first."""

from functools import partial
from weakref import WeakKeyDictionary

import msgspec
import psutil

from torchstone.backends import find_device
from torchstone.contests.race import Entrant, Ready
from torchstone.measuring.timing import WrongOutputError
from torchstone.models.subject import Subject
from torchstone.records import PLAIN_DTYPE, Measurement, Scalar, Setup
from torchstone.training.step import (
    PROBED_ROWS,
    FirstStep,
    Lesson,
    bytes_needed,
    exact_first_step,
    explain_loss,
    facts_of_first_step,
    make_learner,
    parts_of,
    probed_rows,
)

MEMORY_SHARE = 0.9
"""Of the free memory, that a step may be expected to take."""
NOT_THE_SAME = "taken in parts it is another step: batch norm, or a loss that is no mean over rows"
_FIRST_STEPS: "WeakKeyDictionary[Subject, dict[int, FirstStep]]" = WeakKeyDictionary()


def first_step_of(lesson: Lesson, batch: int = PROBED_ROWS) -> FirstStep:
    """The CPU's first step in float64, computed once."""
    known = _FIRST_STEPS.setdefault(lesson.subject, {})
    if batch not in known:
        known[batch] = exact_first_step(lesson, batch)
    return known[batch]


def learning(lesson: Lesson, setup: Setup, batch: int) -> Entrant:
    """The lesson in that setup, before anything is built."""
    return Entrant(setup, partial(_prepare, lesson, setup, batch))


def _prepare(lesson: Lesson, setup: Setup, batch: int) -> Ready | str:
    first = first_step_of(lesson, probed_rows(setup) if lesson.subject.repeats else PROBED_ROWS)
    _refuse_too_large(setup, bytes_needed(lesson, first, batch))
    learner = make_learner(lesson, setup, batch)
    judge = first.judge(setup.dtype or PLAIN_DTYPE)
    wrong = judge(learner.first_step())
    if wrong is not None and parts_of(setup) > 1:
        return f"{NOT_THE_SAME} ({_first_step_is(wrong)})"
    if wrong is not None:
        raise WrongOutputError(_first_step_is(wrong))

    def facts() -> dict[str, Scalar]:
        return {**lesson.facts(batch), **facts_of_first_step(first, judge)}

    def believe(record: Measurement) -> Measurement:
        late = judge(learner.first_step())
        if late is None:
            return record
        return msgspec.structs.replace(record, samples=(), status="wrong", reason=_first_step_is(late))

    return Ready(learner.step, explain_loss, facts, believe, learner.model, learner.optimizer)


def _refuse_too_large(setup: Setup, needed: float) -> None:
    """An accelerator raises when its memory is full; the CPU's system ends the process, or another's."""
    if find_device(setup.device)[1].kind != "cpu":
        return
    free = psutil.virtual_memory().available
    if needed > MEMORY_SHARE * free:
        raise MemoryError(f"a step would take about {needed / 1e9:.3g} GB, and {free / 1e9:.3g} GB are free")


def _first_step_is(wrong: str) -> str:
    return f"the first step's loss or gradient norm {wrong}"

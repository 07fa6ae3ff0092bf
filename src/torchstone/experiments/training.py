"""Training and evaluation steps: the graph of PyTorch's post of May 2022.

That post showed how many times faster than the CPU a Mac's GPU trains and evaluates ResNet50 (batch 128), BERT (batch
64) and VGG16 (batch 64). Here are the same bars, but waited for: the post's were timed without synchronization on the
GPU, and each bar also shows what it would have been so.

By default the batch grows, four times at each rung, as far as the budget goes, and each record says its batch beside
the post's; every device climbs the same rungs, so that the same batches are compared. --protocol post-2022 is the
post's protocol in full: BERT with 512 tokens, Adam, random soft targets, 3 warm-ups, 10 repeats, median wall time; a
bar that the budget cannot hold is skipped, with the seconds that it needs. --model TARGET trains your own model.

The first step's loss and gradient norm are compared with the CPU's float64 before and after the timed loop.
"""

import dataclasses
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from statistics import median
from typing import Literal

import msgspec
import psutil

from torchstone.backends import find_device
from torchstone.configurations import PLAIN, Configuration, setup_of, worth_trying
from torchstone.experiments import Case, Plan, Record
from torchstone.measuring.timing import Call, Verify, status_of
from torchstone.models.text import BERT_VOCABULARY, POST_2022_SEQUENCE_LENGTH, random_sequences
from torchstone.records import Measurement, Scalar, Setup
from torchstone.trials.affording import Allowance, measure_within, skipped
from torchstone.trials.inferring import prepared
from torchstone.trials.observing import observe_each
from torchstone.trials.repeating import measure_repeats
from torchstone.trials.stepping import (
    Lesson,
    Probe,
    bytes_needed,
    enrol,
    exact_probe,
    explain_loss,
    facts_of,
    own_lesson,
    small_lesson,
    zoo_lesson,
)
from torchstone.trials.subjects import EXAMPLES, SEED, SMALL_MODEL, Subject, label, load_or_explain

WEIGHT = 2.0
OPTIONS: tuple[str, ...] = ("protocol",)
POST_2022 = "post-2022"
POST_BATCHES = {"resnet50": 128, "bert_base": 64, "vgg16": 64}
LADDERS = {
    "resnet50": (2, 8, 32, 128),
    "bert_base": (1, 4, 16, 64),
    "vgg16": (1, 4, 16, 64),
    SMALL_MODEL: (2, 16),
}
SECONDS = {"resnet50": 8.0, "bert_base": 24.0, "vgg16": 26.0, SMALL_MODEL: 5.0}
"""What the first rung of one bar takes on two cores, building the model and its float64 step included."""
OWN_SECONDS = 8.0
ROOM_TO_CLIMB = 1.5
"""Times the first rung's seconds, before another model is begun: better one bar than three beginnings."""
RUNG_SHARE = 0.4
"""Of the seconds left, for a rung that is not the last: the next costs four times as much."""
CALLS_PER_RUNG = 5
"""A rung is climbed only where this many of its steps fit."""
ROWS_GET_CHEAPER = 4.0
"""How much less a row of a batch may cost than the first row alone, with what starts up."""
MEMORY_SHARE = 0.9
"""Of the free memory, that a step may be expected to take."""
Mode = Literal["train", "evaluate"]
MODES: tuple[Mode, ...] = ("train", "evaluate")


@dataclass(frozen=True)
class Bar:
    """One bar of the graph, on one device."""

    model: str
    mode: Mode
    device_id: str
    configuration: Configuration = PLAIN
    input_shape: str | None = None
    post_2022: bool = False

    @property
    def subject(self) -> str:
        return label(self.model) if ":" in self.model else self.model

    @property
    def setup(self) -> Setup:
        return setup_of(self.configuration, self.device_id)

    @property
    def batches(self) -> tuple[int, ...]:
        """The rungs; a person's own model brings its own batch."""
        full = POST_BATCHES.get(self.subject, EXAMPLES)
        return (full,) if self.post_2022 else LADDERS.get(self.subject, (EXAMPLES,))

    def name(self, batch: int) -> str:
        """A person's own model brings its own batch, so its name does not say one."""
        is_own = ":" in self.model and not self.model.startswith("zoo:")
        return f"training/{self.subject}/{self.mode}" + ("" if is_own else f"/batch={batch}")


@dataclass(frozen=True)
class Ready:
    """What is timed in a bar, and what its record says afterwards."""

    call: Call
    verify: Verify | None
    finish: Callable[[Measurement], Measurement]
    expected_s: float = 0.0
    """What a call may take, where something like it was done before."""


def cases(plan: Plan) -> Iterator[Case]:
    """Training and evaluation of each model, as many models as fit; other setups where there is much time."""
    if plan.beside_others and plan.model is None and plan.options.get("protocol") != POST_2022:
        small = Bar(SMALL_MODEL, "train", plan.device.id)
        yield Case(small.name(small.batches[-1]), partial(run_bar, small), _seconds(small))
    bars = [bar for model in _models(plan) for bar in _bars(plan, model, PLAIN)]
    needed = 0.0
    for position, bar in enumerate(bars):
        needed += ROOM_TO_CLIMB * _seconds(bar)
        if position < len(MODES) or needed <= plan.budget_s or bar.post_2022:
            yield Case(bar.name(bar.batches[-1]), partial(run_bar, bar), _seconds(bar))
    if 2 * needed <= plan.budget_s:
        yield from _other_setups(plan)


def _models(plan: Plan) -> tuple[str, ...]:
    return (plan.model,) if plan.model is not None else tuple(POST_BATCHES)


def _bars(plan: Plan, model: str, configuration: Configuration) -> list[Bar]:
    post = plan.options.get("protocol") == POST_2022
    return [Bar(model, mode, plan.device.id, configuration, plan.input_shape, post) for mode in MODES]


def _other_setups(plan: Plan) -> Iterator[Case]:
    """Of the first model, eager ones only: compiling the way back takes minutes."""
    others = [one for one in worth_trying(plan.device, autocast=True) if one.engine == "eager"]
    for other in others:
        bar = _bars(plan, _models(plan)[0], other)[0]
        yield Case(bar.name(bar.batches[-1]), partial(run_bar, bar), _seconds(bar))


def _seconds(bar: Bar) -> float:
    return SECONDS.get(bar.subject, OWN_SECONDS) * (1.0 if bar.mode == "train" else 0.5)


def run_bar(bar: Bar, budget_s: float) -> Iterator[Record]:
    """Climb the rungs of one bar, or time its full batch by the post's protocol."""
    yield from observe_each(_run(bar, Allowance(budget_s)), bar.configuration)


def _run(bar: Bar, allowance: Allowance) -> Iterator[Record]:
    lesson = _lesson(bar.model, bar.input_shape, bar.post_2022)
    if isinstance(lesson, str):
        yield skipped(bar.name(bar.batches[-1]), bar.setup, lesson)
        return
    climbed: Measurement | None = None
    for batch in _rows(bar, lesson.subject):
        stop = _explain_stop(bar, batch, climbed, allowance)
        if stop is not None:
            yield skipped(bar.name(bar.batches[-1]), bar.setup, stop, facts={"batch": bar.batches[-1]})
            return
        climbed = _measure_rung(bar, lesson, batch, allowance)
        yield climbed
        if climbed.status != "ok":
            return


def _rows(bar: Bar, subject: Subject) -> tuple[int, ...]:
    return bar.batches if subject.repeats else (subject.rows(EXAMPLES),)


@lru_cache(maxsize=1)
def _lesson(model: str, input_shape: str | None, post_2022: bool) -> Lesson | str:
    """What is learnt, or why it can't be had."""
    subject = load_or_explain(model, input_shape)
    if isinstance(subject, str):
        return subject
    if not any(parameter.requires_grad for parameter in subject.model.parameters()):
        return f"{subject.name} has no parameters to train"
    if not subject.repeats:
        return own_lesson(subject)
    if subject.name == SMALL_MODEL:
        return small_lesson(subject)
    if post_2022 and subject.name == "bert_base":
        longer = random_sequences(EXAMPLES, SEED, BERT_VOCABULARY, POST_2022_SEQUENCE_LENGTH)
        return zoo_lesson(
            dataclasses.replace(subject, examples=longer, _exact=None, _errors={}), longer.args[0].shape[1]
        )
    return zoo_lesson(subject)


@lru_cache(maxsize=1)
def _probe(lesson: Lesson) -> Probe:
    return exact_probe(lesson)


def _explain_stop(bar: Bar, batch: int, climbed: Measurement | None, allowance: Allowance) -> str | None:
    """Why the next rung is out of reach, or None."""
    if climbed is None:
        return None
    before = int(climbed.facts["batch"] or 1)
    step_s = median(climbed.samples) * batch / before
    if CALLS_PER_RUNG * step_s <= allowance.left_s:
        return None
    return (
        f"batch {batch} would take about {step_s:.2g} s a step and {max(allowance.left_s, 0):.2g} s are left: "
        f"shrunk to batch {before}; for more, --budget"
    )


def _measure_rung(bar: Bar, lesson: Lesson, batch: int, allowance: Allowance) -> Measurement:
    name = bar.name(batch)
    try:
        ready = _ready(bar, lesson, batch, name, allowance)
    except Exception as error:  # a device may refuse anything: the exception is the result
        status, reason = status_of(error)
        return Measurement(name=name, setup=bar.setup, unit="s", status=status, reason=reason)
    if isinstance(ready, Measurement):
        return ready
    allowance = allowance.after_preparation()
    if bar.model != SMALL_MODEL and not allowance.allows(2 * ready.expected_s):
        reason = f"by its first row a step takes about {ready.expected_s:.2g} s: give more --budget"
        return skipped(name, bar.setup, reason)
    if bar.post_2022:
        return ready.finish(measure_repeats(ready.call, allowance, name=name, setup=bar.setup, verify=ready.verify))
    enough_s = math.inf if batch == bar.batches[-1] else allowance.left_s * RUNG_SHARE
    found = measure_within(
        ready.call,
        allowance,
        name=name,
        setup=bar.setup,
        verify=ready.verify,
        enough_s=enough_s,
        is_small=bar.model == SMALL_MODEL and batch == bar.batches[0],
    )
    return ready.finish(found)


def _ready(bar: Bar, lesson: Lesson, batch: int, name: str, allowance: Allowance) -> Ready | Measurement:
    if bar.mode == "train":
        return _ready_to_train(bar, lesson, batch, name)
    attempt = prepared(lesson.subject, batch, bar.configuration, bar.device_id, name, allowance)
    if isinstance(attempt, Measurement):
        return attempt
    facts = _batch_facts(bar)
    return Ready(attempt.call, attempt.judge, lambda record: _with_facts(attempt.finished(record), facts))


def _ready_to_train(bar: Bar, lesson: Lesson, batch: int, name: str) -> Ready | Measurement:
    probe = _probe(lesson)
    facts: dict[str, Scalar] = {**lesson.subject.facts(batch), **_batch_facts(bar), "loss": lesson.loss_name}
    too_large = _explain_too_large(bar, bytes_needed(lesson, probe, batch))
    if too_large is not None:
        refused = Measurement(name=name, setup=bar.setup, unit="s", status="out_of_memory", reason=too_large)
        return _with_facts(refused, facts)
    student = enrol(lesson, batch, bar.configuration, bar.device_id)
    judge = probe.judge(bar.configuration.dtype)

    def finish(record: Measurement) -> Measurement:
        wrong = judge(student.first_step()) if record.status == "ok" else None
        record = _with_facts(record, {**facts, **facts_of(probe, judge)})
        return record if wrong is None else _wrong(record, wrong)

    started = time.perf_counter()
    wrong = judge(student.first_step())
    row_s = time.perf_counter() - started
    if wrong is not None:
        record = Measurement(name=name, setup=bar.setup, unit="s", status="wrong", reason=_first_step_is(wrong))
        return _with_facts(record, {**facts, **facts_of(probe, judge)})
    # A row of a larger batch costs less: only what is slow beyond doubt is given up.
    return Ready(student.step, explain_loss, finish, row_s * lesson.subject.rows(batch) / ROWS_GET_CHEAPER)


def _batch_facts(bar: Bar) -> dict[str, Scalar]:
    precision: dict[str, Scalar] = {"precision": bar.configuration.precision}
    full = POST_BATCHES.get(bar.subject)
    return precision if full is None else {**precision, "batch_of_the_post": full}


def _explain_too_large(bar: Bar, needed: float) -> str | None:
    """An accelerator raises when its memory is full; the CPU's system ends the process, or another's."""
    if find_device(bar.device_id)[1].kind != "cpu":
        return None
    free = psutil.virtual_memory().available
    if needed <= MEMORY_SHARE * free:
        return None
    return f"a step would take about {needed / 1e9:.3g} GB, and {free / 1e9:.3g} GB are free"


def _with_facts(record: Measurement, facts: dict[str, Scalar]) -> Measurement:
    return msgspec.structs.replace(record, facts={**facts, **record.facts})


def _wrong(record: Measurement, why: str) -> Measurement:
    return msgspec.structs.replace(record, samples=(), status="wrong", reason=_first_step_is(why))


def _first_step_is(wrong: str) -> str:
    return f"the first step's loss or gradient norm {wrong}"

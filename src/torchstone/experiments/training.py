"""Training and evaluation steps: the graph of PyTorch's post of May 2022.

That post showed how many times faster than the CPU a Mac's GPU trains and evaluates ResNet50 (batch 128), BERT (batch
64) and VGG16 (batch 64). Here are the same bars, but waited for: the post's were timed without synchronization on the
GPU, and each bar also shows what it would have been so.

By default the batch grows, four times at each rung, as far as the budget goes, and each record says its batch beside
the post's; every rung is one contest of all devices and setups. --protocol post-2022 is the post's protocol in full:
BERT with 512 tokens, Adam, random soft targets, 3 warm-ups, 10 repeats, median wall time; a bar that the budget cannot
hold is skipped, with the seconds that it needs. --model TARGET trains your own model.

The first step's loss and gradient norm are compared with the CPU's float64 before and after the timed loop.
"""

import dataclasses
from collections.abc import Iterator
from functools import lru_cache, partial

import msgspec

from torchstone.contests.answering import answering
from torchstone.contests.learning import learning
from torchstone.contests.race import Entrant, Race
from torchstone.experiments import Plan
from torchstone.machine.dtypes import computes_in
from torchstone.measuring.memory import measure_memory
from torchstone.measuring.repeats import PROTOCOL as POST_2022
from torchstone.measuring.repeats import measure_repeats
from torchstone.measuring.timing import status_of
from torchstone.models.placing import CHANNELS_LAST, changed, is_plain, plain_setup
from torchstone.models.subject import EXAMPLES, SEED, effort_of, is_own, label, load_or_explain
from torchstone.models.text import BERT_VOCABULARY, POST_2022_SEQUENCE_LENGTH, random_sequences
from torchstone.records import Measurement, Scalar, Setup
from torchstone.scheduling.case import Case, Record, Turn, case
from torchstone.training.step import FUSED, Lesson, lesson_of, make_learner

OPTIONS = {"protocol": {"type": ["budget", "post-2022"], "help": "The protocol: contests, or the post's own."}}
POST_BATCHES = {"resnet50": 128, "bert_base": 64, "vgg16": 64}
LADDERS = {"resnet50": (2, 8, 32, 128), "bert_base": (1, 4, 16, 64), "vgg16": (1, 4, 16, 64), "convnet": (16,)}
QUICK_BARS = (("resnet50", "train"), ("bert_base", "train"), ("resnet50", "evaluate"))
MODES = ("train", "evaluate")
SMALL_MODEL = "convnet"
MEMORY_CALLS = 6
"""As long as so many steps takes one whose allocations are followed."""
_ROW_S: dict[tuple[str, str], float] = {}
"""What a row took at the last rung, by bar and device: how a rung that would take minutes is not even begun."""


def cases(plan: Plan) -> Iterator[Case]:
    """The small network for slow devices, the first rungs of the post's models, then rung after rung."""
    if plan.options.get("protocol") == POST_2022:
        models = (plan.model,) if plan.model is not None else tuple(POST_BATCHES)
        yield from (_case(plan, model, mode, _last_batch(model), 0) for model in models for mode in MODES)
        return
    if plan.model is not None:
        yield from (_case(plan, plan.model, mode, EXAMPLES, rank) for rank, mode in enumerate(MODES))
        return
    if plan.others:
        yield _case(plan, SMALL_MODEL, "train", LADDERS[SMALL_MODEL][0], 0)
    for rank, (model, mode) in enumerate(QUICK_BARS):
        yield _case(plan, model, mode, LADDERS[model][0], min(rank, 2), weight=1.5)
    if plan.is_deep or plan.others:
        bars = [(model, mode) for model in POST_BATCHES for mode in MODES]
        for rung in range(4):
            for model, mode in bars:
                if rung or (model, mode) not in QUICK_BARS:
                    yield _case(plan, model, mode, LADDERS[model][rung], 4 + rung, weight=1.0 + rung)


def _last_batch(model: str) -> int:
    return POST_BATCHES.get(label(model), EXAMPLES)


def name_of(model: str, mode: str, batch: int) -> str:
    """A person's own model brings its own batch, so its name does not say one."""
    return f"training/{label(model)}/{mode}" + ("" if is_own(model) else f"/batch={batch}")


def _case(plan: Plan, model: str, mode: str, batch: int, rank: int, weight: float = 1.0) -> Case:
    run = partial(run_rung, plan, model, mode, batch)
    effort = effort_of(model, batch, learns=mode == "train")
    return case(name_of(model, mode, batch), run, setup=plain_setup(), rank=rank, weight=weight, effort=effort)


def run_rung(plan: Plan, model: str, mode: str, batch: int, turn: Turn) -> Iterator[Record]:
    """One rung of one bar: a contest of all devices and setups; or each by the post's protocol."""
    name = name_of(model, mode, batch)
    is_post = plan.options.get("protocol") == POST_2022
    turn.note(f"loading {label(model)}")
    lesson = _lesson(model, plan.input_shape, is_post)
    if isinstance(lesson, str):
        yield Measurement(name=name, setup=plain_setup(), unit="s", status="skipped", reason=lesson)
        return
    setups = [setup for setup in _setups(plan, lesson, mode) if not is_post or is_plain(setup)]
    entrants = [_entrant(lesson, mode, setup, batch) for setup in setups]
    if is_post:
        yield from (_by_the_post(name, entrant, turn) for entrant in entrants)
        return
    affordable = []
    for entrant in entrants:
        stop = _explain_stop(name, entrant.setup, batch, turn)
        if stop is None:
            affordable.append(entrant)
        else:
            yield Measurement(name=name, setup=entrant.setup, unit="s", status="skipped", reason=stop)
    if affordable:
        yield from _race(name, lesson, mode, batch, affordable, turn)


def _race(name: str, lesson: Lesson, mode: str, batch: int, entrants: list[Entrant], turn: Turn) -> Iterator[Record]:
    race = Race(name, entrants, turn)
    for record in race.run():
        if record.samples:
            rows = lesson.subject.rows(batch)
            _ROW_S[name.rpartition("/batch=")[0], record.setup.device] = min(record.samples) / rows
        yield _with_batch_of_the_post(record)
    if mode == "train" and not turn.earlier:
        plain = [setup for setup in race.ready if is_plain(setup) and race.records[setup].samples]
        affordable = [one for one in plain if MEMORY_CALLS * min(race.records[one].samples) <= turn.granted_s]
        yield from (_memory(name, lesson, batch, setup) for setup in affordable)


def _setups(plan: Plan, lesson: Lesson, mode: str) -> list[Setup]:
    """The plain CPU first; for each device what a person would try: another order, mixed precision, a fused step."""
    found = [plain_setup(plan.cpu)]
    for device in plan.devices:
        plain = plain_setup(device)
        found.append(plain)
        orders = [changed(plain, memory_format=CHANNELS_LAST)] if lesson.subject.is_for_images else []
        if mode == "train":
            orders = [changed(setup, options=(FUSED,)) for setup in (*orders, plain)][:1]
        found += orders
        narrow = "bfloat16" if device.kind in ("cpu", "xpu") else "float16"
        if device.kind != "cpu" and mode == "train" and computes_in(device, narrow):
            found.append(changed(plain, dtype=narrow, precision="autocast"))
    return list(dict.fromkeys(found))


def _entrant(lesson: Lesson, mode: str, setup: Setup, batch: int) -> Entrant:
    return learning(lesson, setup, batch) if mode == "train" else answering(lesson.subject, setup, batch)


@lru_cache(maxsize=1)
def _lesson(model: str, input_shape: str | None, is_post: bool) -> Lesson | str:
    """What is learnt, or why it can't be had."""
    subject = load_or_explain(model, input_shape)
    if isinstance(subject, str):
        return subject
    if not (is_post and subject.name == "bert_base"):
        return lesson_of(subject)
    longer = random_sequences(EXAMPLES, SEED, BERT_VOCABULARY, POST_2022_SEQUENCE_LENGTH)
    return lesson_of(dataclasses.replace(subject, examples=longer), longer.args[0].shape[1])


def _explain_stop(name: str, setup: Setup, batch: int, turn: Turn) -> str | None:
    """Why this rung is out of reach by what the rung below took, or None."""
    row_s = _ROW_S.get((name.rpartition("/batch=")[0], setup.device))
    if row_s is None or 2 * row_s * batch <= turn.left_s:
        return None
    step_s = row_s * batch
    return f"batch {batch} would take about {step_s:.3g} s a step, and {turn.left_s:.3g} s are granted: more --budget"


def _by_the_post(name: str, entrant: Entrant, turn: Turn) -> Measurement:
    turn.begin(entrant.setup)
    try:
        ready = entrant.prepare()
    except Exception as error:  # a device may refuse anything: the exception is the result
        status, reason = status_of(error)
        return Measurement(name=name, setup=entrant.setup, unit="s", protocol=POST_2022, status=status, reason=reason)
    if isinstance(ready, str):
        return Measurement(
            name=name, setup=entrant.setup, unit="s", protocol=POST_2022, status="unsupported", reason=ready
        )
    found = measure_repeats(ready.call, turn.left_s, name=name, setup=entrant.setup, verify=ready.check)
    found = ready.believe(found) if found.status == "ok" else found
    return _with_batch_of_the_post(msgspec.structs.replace(found, facts={**ready.facts(), **found.facts}))


def _with_batch_of_the_post(record: Measurement) -> Measurement:
    full = POST_BATCHES.get(record.name.split("/")[1])
    facts: dict[str, Scalar] = {} if full is None else {"batch_of_the_post": full}
    return msgspec.structs.replace(record, facts={**facts, **record.facts})


def _memory(name: str, lesson: Lesson, batch: int, setup: Setup) -> Measurement:
    """The peak of one step: weights, gradients, the optimizer's state, activations apart."""
    record = Measurement(name=f"{name}/memory", setup=setup, unit="bytes", quantity="peak memory")
    facts = lesson.facts(batch)
    try:
        learner = make_learner(lesson, setup, batch)
        peak = measure_memory(learner.step, model=learner.model, optimizer=learner.optimizer, device=setup.device)
    except Exception as error:  # the exception is the result
        status, reason = status_of(error)
        return msgspec.structs.replace(record, status=status, reason=reason, facts=facts)
    return msgspec.structs.replace(record, samples=(float(peak.peak_bytes),), facts={**facts, **peak.facts()})

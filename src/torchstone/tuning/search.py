"""The search: contests in worker processes, within one budget.

First every engine has a contest of its own against the plain run, in a process of its own where it takes long to
prepare; who is beaten there drops out as soon as that is proven. Then those that no rival has beaten meet in one last
contest. A candidate that crashes, hangs or exhausts memory costs only itself.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial

import msgspec

from torchstone.backends import import_package_of
from torchstone.contests.answering import answering
from torchstone.contests.learning import learning
from torchstone.contests.race import Entrant, Race
from torchstone.errors import UserError
from torchstone.machine.dtypes import with_narrow_dtypes
from torchstone.measuring.memory import measure_memory
from torchstone.measuring.timing import status_of
from torchstone.models.batching import repeat_inputs, rows_of
from torchstone.models.inputs import Inputs
from torchstone.models.subject import Subject, load_subject
from torchstone.processes import ForkServer, fork_is_safe
from torchstone.records import Device, Line, Measurement, Setup
from torchstone.scheduling.case import Case, Record, Turn, case
from torchstone.scheduling.runner import Progress, Runner, skipped_for_time
from torchstone.training.step import Lesson, lesson_of
from torchstone.tuning.answer import GROWN, Answer, answer_from, best_first
from torchstone.tuning.space import CHEAP, setups_by_engine

FIRST_SHARE = 0.65
"""Of the budget, for the engines one by one; the rest decides between the best of them."""
BATCH_SHARE = 0.3
"""Of the budget, for larger batches where throughput is asked for."""
FINALISTS = 5
NEAR = 1.15
"""Who was slower than the best by more than this in its own contest does not come to the last one."""
MOST_BATCH_DOUBLINGS = 6
MEMORY_SHARE = 0.8
"""Of the free memory, that a batch may be expected to take: beyond it the system begins to swap."""


@dataclass(frozen=True)
class Wish:
    """What a person asked of `tune`."""

    target: str
    devices: tuple[Device, ...]
    budget_s: float
    input_shape: str | None = None
    train: bool = False
    objective: str = "latency"
    latency_bound_s: float | None = None
    memory_bound_bytes: float | None = None
    tolerance: float | None = None
    subject: Subject | None = None
    """A model that is here already, as in a notebook; else `target` is loaded in each worker."""


@dataclass(frozen=True)
class _Stage:
    """What the workers of one stage are to do; it travels."""

    wish: Wish
    batch: int = 1
    finalists: tuple[Setup, ...] = ()


def tune(
    wish: Wish,
    keep: Callable[[Line], None] = lambda line: None,
    show: Callable[[Progress], None] = lambda progress: None,
) -> Answer:
    """Search, and say what was found; every record is kept as soon as it is measured."""
    found: list[Measurement] = []

    def kept(line: Line) -> None:
        keep(line)
        if isinstance(line, Measurement):
            found.append(line)

    can_fork = fork_is_safe() and all(fork_is_safe(device.kind) for device in wish.devices)
    with ForkServer(("torch", "torch._dynamo")) if can_fork else nullcontext() as server:
        devices = tuple(with_narrow_dtypes(device, server) for device in wish.devices)
        wish = replace(wish, devices=devices)
        share = FIRST_SHARE - (BATCH_SHARE / 2 if wish.objective == "throughput" else 0.0)
        _run(_Stage(wish), first_cases, wish.budget_s * share, kept, show, server)
        if not any(record.samples for record in found):
            return answer_from(wish.objective, found, [])
        finalists = tuple(record.setup for record in best_first(found, NEAR))[:FINALISTS]
        batches: list[Measurement] = []
        if wish.objective == "throughput" and not wish.train:
            seen = len(found)
            _run(_Stage(wish, 1, finalists[:2]), batch_cases, wish.budget_s * BATCH_SHARE, kept, show, server)
            batches = found[seen:]
        left_s = wish.budget_s * (1 - FIRST_SHARE)
        _run(_Stage(wish, 1, finalists), final_cases, left_s, kept, show, server)
    return answer_from(wish.objective, [one for one in found if one not in batches], batches, wish.latency_bound_s)


def _run(
    stage: _Stage,
    provide: Callable[[_Stage], Iterator[Case]],
    budget_s: float,
    keep: Callable[[Line], None],
    show: Callable[[Progress], None],
    server: ForkServer | None,
) -> None:
    runner = Runner(partial(provide, stage), keep, show, budget_s=budget_s, server=server)
    runner.run()
    if runner.mistakes:
        raise runner.mistakes[0]
    for record in skipped_for_time(runner.left):
        keep(record)


# What follows runs in the worker.


def _subject(wish: Wish) -> Subject:
    for device in wish.devices[1:]:
        import_package_of(device.id)
    return wish.subject or load_subject(wish.target, wish.input_shape)


def first_cases(stage: _Stage) -> Iterator[Case]:
    """A contest for each engine, the cheapest to prepare first."""
    subject = _subject(stage.wish)
    groups = setups_by_engine(stage.wish.devices, subject, stage.wish.train)
    plain = groups[CHEAP][0]
    for rank, (engine, setups) in enumerate(groups.items()):
        contestants = list(dict.fromkeys((plain, *setups)))
        run = partial(_race, stage, subject, contestants, f"tune/{subject.name}/{engine}")
        alone = engine != CHEAP
        weight = 1.0 + 0.3 * len(contestants) + alone
        yield case(f"tune/{subject.name}/{engine}", run, setup=plain, rank=rank, weight=weight, is_alone=alone)


def final_cases(stage: _Stage) -> Iterator[Case]:
    """The best of all engines against each other; then their memory."""
    subject = _subject(stage.wish)
    groups = setups_by_engine(stage.wish.devices, subject, stage.wish.train)
    plain = groups[CHEAP][0]
    setups = list(dict.fromkeys((plain, *stage.finalists)))
    name = f"tune/{subject.name}/final"
    yield case(name, partial(_race, stage, subject, setups, name), setup=plain, is_alone=True, weight=4.0)


def batch_cases(stage: _Stage) -> Iterator[Case]:
    """The plain run as it is against the best setups in larger and larger batches."""
    subject = _subject(stage.wish)
    groups = setups_by_engine(stage.wish.devices, subject, stage.wish.train)
    plain = groups[CHEAP][0]
    name = f"tune/{subject.name}/batches"
    yield case(name, partial(_climb, stage, subject, plain, name), setup=plain, is_alone=True)


def _race(stage: _Stage, subject: Subject, setups: Sequence[Setup], name: str, turn: Turn) -> Iterator[Record]:
    entrants = [_entrant(stage.wish, subject, setup) for setup in setups]
    race = Race(name, entrants, turn, goal="fastest")
    yield from race.run()
    if name.endswith("/final") and not turn.earlier and not stage.wish.train:
        for setup in race.ready:
            if race.records[setup].status == "ok":
                yield _memory(stage.wish, subject, setup, f"{name}/memory")


def _entrant(wish: Wish, subject: Subject, setup: Setup, batch: int = 1) -> Entrant:
    if not wish.train:
        return answering(subject, setup, batch, wish.tolerance)
    lesson = lesson_of(subject)
    if isinstance(lesson, str):
        raise UserError(f"{lesson}", "leave --train out, or set requires_grad on what should learn")
    assert isinstance(lesson, Lesson)
    return learning(lesson, setup, batch)


def _climb(stage: _Stage, subject: Subject, plain: Setup, name: str, turn: Turn) -> Iterator[Record]:
    """Batch after batch, twice as large each time, until the bound, the memory or the seconds end it."""
    wish = stage.wish
    for doubling in range(1, MOST_BATCH_DOUBLINGS + 1):
        times = 2**doubling
        larger = _with_rows(subject, times)
        why = larger if isinstance(larger, str) else _explain_end(wish, larger)
        if why is not None:
            yield Measurement(name=f"{name}/times={times}", setup=plain, unit="s", status="skipped", reason=why)
            return
        assert isinstance(larger, Subject)
        part = Turn(turn.left_s / 2, (), turn.excluded, turn.tell, turn.now)
        entrants = [_entrant(wish, subject, plain)]
        entrants += [_renamed(_entrant(wish, larger, setup), times) for setup in stage.finalists]
        race = Race(f"{name}/times={times}", entrants, part, goal="all_rounds")
        slowest = 0.0
        for record in race.run():
            yield record
            slowest = max(slowest, min(record.samples, default=0.0))
        if turn.left_s < 20 * slowest or (wish.latency_bound_s is not None and slowest > wish.latency_bound_s):
            return


def _renamed(entrant: Entrant, times: int) -> Entrant:
    """The same setup in a larger batch is another rival."""
    options = tuple(sorted((*entrant.setup.options, f"{GROWN}{times}")))
    return replace(entrant, setup=msgspec.structs.replace(entrant.setup, options=options))


def _with_rows(subject: Subject, times: int) -> Subject | str:
    """The subject with so many times its rows; or why its inputs can't be batched."""
    rows = rows_of(subject.examples)
    if rows is None:
        return "its inputs have no rows that could be repeated: the batch is kept"
    examples: Inputs = repeat_inputs(subject.inputs(1) if subject.repeats else subject.examples, times)
    larger = replace(subject, origin="own", examples=examples)
    try:
        larger.model(*examples.args, **examples.kwargs)
    except Exception as error:  # a person's model may refuse other batch sizes with any exception
        return f"the model takes no other number of rows: {status_of(error)[1]}"
    return larger


def _explain_end(wish: Wish, subject: Subject) -> str | None:
    """Why the next batch is not begun: it would not fit into the memory that is free."""
    import psutil

    try:
        peak = measure_memory(
            lambda: subject.model(*subject.examples.args, **subject.examples.kwargs), model=subject.model
        )
    except Exception as error:  # the exception is the result
        return status_of(error)[1]
    bound = min(MEMORY_SHARE * psutil.virtual_memory().available, wish.memory_bound_bytes or float("inf"))
    if peak.peak_bytes <= bound:
        return None
    return f"a call takes {peak.peak_bytes / 1e9:.2g} GB, and {bound / 1e9:.2g} GB may be used: beyond it lies swapping"


def _memory(wish: Wish, subject: Subject, setup: Setup, name: str) -> Measurement:
    record = Measurement(name=name, setup=setup, unit="bytes", quantity="peak memory")
    try:
        ready = _entrant(wish, subject, setup).prepare()
        if isinstance(ready, str):
            return msgspec.structs.replace(record, status="unsupported", reason=ready)
        peak = measure_memory(ready.call, model=ready.model, device=setup.device)
    except Exception as error:  # the exception is the result
        status, reason = status_of(error)
        return msgspec.structs.replace(record, status=status, reason=reason)
    return msgspec.structs.replace(record, samples=(float(peak.peak_bytes),), facts=peak.facts())

"""The search: contests in one worker process, within one budget.

First the plain run against each single change to it, which cost nothing to prepare. Then each engine against the plain
run, once, the cheapest to prepare first. Then whatever else may come near the best (`choosing`). Then the best meet in
one last contest, which gets what is left of the seconds. What was made ready is kept for the later contests. Where a
candidate ends the process, the others go on in a new one; one that hangs is ended.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial

from torchstone.engines import load_engine
from torchstone.interrupting import something_to_keep
from torchstone.machine import busyness
from torchstone.machine.busyness import explain
from torchstone.machine.dtypes import with_narrow_dtypes
from torchstone.models.subject import Subject
from torchstone.processes import ForkServer, fork_is_safe
from torchstone.records import Device, Finding, Line, Measurement
from torchstone.scheduling.case import Case, case
from torchstone.scheduling.runner import Progress, Runner, skipped_for_time
from torchstone.tuning.answer import Answer, answer_from
from torchstone.tuning.choosing import devices_beside
from torchstone.tuning.emitting import emit
from torchstone.tuning.scoring import LATENCY, Question, is_timed, plain_among
from torchstone.tuning.space import CHEAP, plain_of
from torchstone.tuning.workshop import Workshop

HANG_SHARE, HANG_S = 0.4, 20.0
"""An engine or a device whose first contest takes so much of the budget, and at least so long, hangs: it is ended."""
WEIGHTS = {0: 1.0, 1: 2.0, 2: 4.0}
"""Of an engine's first contest, by what preparing it costs: its share of the seconds that are left."""
FINAL_WEIGHT = 4.0
QUIET_HINT = "end what else runs, and tune again"
CUT_SHORT = "the search was interrupted: what it had not reached is not judged"


@dataclass(frozen=True)
class Wish:
    """What a person asked of `tune`."""

    target: str
    devices: tuple[Device, ...]
    budget_s: float
    input_shape: str | None = None
    train: bool = False
    question: Question = LATENCY
    tolerance: float | None = None
    subject: Subject | None = None
    """A model that is here already, as in a notebook; else `target` is loaded in each worker."""
    busy: str = ""
    """What others were doing on this machine before the search, in words; empty where it was quiet."""


def tune(
    wish: Wish,
    keep: Callable[[Line], None] = lambda line: None,
    show: Callable[[Progress], None] = lambda progress: None,
) -> Answer:
    """Search, and say what was found; every record is kept as soon as it is measured."""
    started = time.monotonic()
    before = explain(busyness.watch(), "at the start", QUIET_HINT)
    wish = replace(wish, busy=_in_short(before))
    used = busyness.look()
    found: list[Measurement] = []

    def kept(line: Line) -> None:
        keep(line)
        if isinstance(line, Measurement):
            found.append(line)

    can_fork = fork_is_safe() and all(fork_is_safe(device.kind) for device in wish.devices)
    with ForkServer(("torch", "torch._dynamo")) if can_fork else nullcontext() as server:
        wish = replace(wish, devices=tuple(with_narrow_dtypes(device, server) for device in wish.devices))
        left_s = max(wish.budget_s - (time.monotonic() - started), 1.0)
        runner = Runner(partial(cases, wish), kept, show, budget_s=left_s, server=server, begins_anyway=True)
        interrupted = _run(runner)
    if runner.mistakes:
        raise runner.mistakes[0]
    for record in skipped_for_time(runner.left):
        kept(record)
    during = explain(busyness.between(used, busyness.look()), "during the run", QUIET_HINT)
    answer = _sum_up(found, wish.question, interrupted, _in_short(during) or wish.busy)
    for finding in (before, during):
        keep(finding)
    if answer.chosen is None:
        return answer
    target = wish.target if wish.subject is None else None
    has_loader = bool(answer.baseline.facts.get("loader"))
    return replace(answer, code=emit(target, answer.chosen, wish.input_shape, wish.train, has_loader))


def _in_short(finding: Finding) -> str:
    """What kept the machine busy; empty of a quiet one."""
    return finding.evidence.partition(":")[0] if finding.verdict == busyness.BUSY else ""


def _run(runner: Runner) -> BaseException | None:
    """The interrupt that ended it early, if one did."""
    try:
        with something_to_keep():
            runner.run()
    except KeyboardInterrupt as error:
        return error
    return None


def _sum_up(found: list[Measurement], question: Question, interrupted: BaseException | None, busy: str = "") -> Answer:
    """What was found until then is an answer too, where the plain run is among it."""
    if interrupted is None:
        return answer_from(found, question, busy)
    if not any(is_timed(one) and one.setup == plain_among(found) for one in found):
        raise interrupted
    answer = answer_from(found, question, busy)
    return replace(answer, interrupted=interrupted, notes=(*answer.notes, CUT_SHORT))


def cases(wish: Wish) -> Iterator[Case]:
    """In the worker: one contest after another, each knowing what the others found."""
    workshop = Workshop(wish)
    space, name = workshop.space, workshop.name
    here = partial(case, setup=plain_of(space), knows_all=True)
    yield here(f"{name}/{CHEAP}", workshop.race_the_plain, rank=0, weight=2.0)
    limit_s = max(HANG_SHARE * wish.budget_s, HANG_S)
    for rank, device in enumerate(devices_beside(space), 1):
        yield here(f"{name}/{device}", partial(workshop.race_device, device), rank=rank, weight=2.0, limit_s=limit_s)
    for rank, engine in enumerate((engine for engine in space if engine != CHEAP), 50):
        run = partial(workshop.race_engine, engine)
        weight = WEIGHTS[load_engine(engine).COST]
        yield here(f"{name}/{engine}", run, rank=rank, weight=weight, limit_s=limit_s)
    yield here(f"{name}/more", workshop.race_promising, rank=100, weight=FINAL_WEIGHT)
    if wish.question.objective == "throughput":
        yield here(f"{name}/batches", workshop.race_batches, rank=101, weight=FINAL_WEIGHT)
    if wish.train and workshop.subject.loader is not None:
        yield here(f"{name}/workers", workshop.race_workers, rank=102, weight=FINAL_WEIGHT)
    yield here(f"{name}/final", workshop.race_finalists, rank=103, weight=FINAL_WEIGHT)

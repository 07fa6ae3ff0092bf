"""What the worker of a search does: it makes setups ready, keeps the promising ones ready, and races them.

Making a setup ready costs more than racing it (an export, a compilation), so who may meet the best again later is kept.
A contest before the last one is short: it only has to show who is far behind.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import msgspec
from torch import nn

from torchstone.backends import import_package_of
from torchstone.contests.answering import answering
from torchstone.contests.learning import learning
from torchstone.contests.race import NO_TIME, Entrant, Race, Ready
from torchstone.engines import load_engine
from torchstone.errors import UserError
from torchstone.measuring.python_share import measure_python_share
from torchstone.models.placing import using_threads
from torchstone.models.subject import Subject, load_subject
from torchstone.records import Measurement, Scalar, Setup
from torchstone.scheduling.case import Record, Turn
from torchstone.training.step import Lesson, lesson_of, parts_of
from torchstone.tuning.amounts import measure_joules, measure_peak
from torchstone.tuning.batches import enlarge, explain_too_large
from torchstone.tuning.chance import explain_chance, learning_unverified
from torchstone.tuning.choosing import (
    NEAR,
    explain_hopeless,
    finalists,
    openers,
    openers_of_the_plain,
    plain_on,
    promising,
)
from torchstone.tuning.doubting import Doubts, doubts_of
from torchstone.tuning.scoring import GROWN, PYTHON_SHARE, scores, seconds_to_prepare
from torchstone.tuning.space import CHEAP, base_of, plain_of, whole_space, without_parts
from torchstone.tuning.workers import stretches

if TYPE_CHECKING:
    from torchstone.tuning.search import Wish

OPENING_ROUNDS = 12
"""Eight decide where one is far behind; a few more where a round went wrong."""
AT_ONCE = 3
"""Setups of one engine that are raced together while looking for more."""
LEAST_S = {0: 0.0, 1: 1.0, 2: 8.0}
"""What must be left to begin with an engine, by what preparing it costs: with less it would be ended half-way."""
KEPT_WITHIN = 1.3
"""Times the best score: who is kept ready."""
MOST_BATCH_DOUBLINGS = 6
LEAST_CALLS = 20
"""Of the slowest call, that must be left for another doubling of the batch."""
BATCH_NORM = "it has batch norm, whose statistics are those of all rows: taken in parts it is another step"


class Workshop:
    """A subject, the space of its setups, and those that are ready."""

    def __init__(self, wish: "Wish") -> None:
        for device in wish.devices[1:]:
            import_package_of(device.id)
        self._wish = wish
        self.subject = wish.subject or load_subject(wish.target, wish.input_shape)
        self.space = whole_space(wish.devices, self.subject, wish.train)
        self.name = f"tune/{self.subject.name}"
        self._plain = plain_of(self.space)
        self._ready: dict[Setup, Ready] = {}

    # The contests, in the order of the search.

    def race_the_plain(self, turn: Turn) -> Iterator[Record]:
        """The plain run on the CPU and every single change to it."""
        doubts = self._doubts(turn.earlier)
        found = [setup for setup in openers_of_the_plain(self.space) if doubts.about(setup) is None]
        yield from self._race(f"{self.name}/{CHEAP}", [*self._control(), *found], turn, OPENING_ROUNDS)

    def race_device(self, device: str, turn: Turn) -> Iterator[Record]:
        """Another device, plain: the rest of it only where it comes near the best."""
        setup = plain_on(self.space, device)
        if setup.key not in turn.excluded:
            yield from self._race(f"{self.name}/{device}", [setup], turn, OPENING_ROUNDS)

    def race_engine(self, engine: str, turn: Turn) -> Iterator[Record]:
        """An engine as it is most likely to be good; where that ended the process, nothing more here."""
        name, known = f"{self.name}/{engine}", self._scores(turn)
        found = [setup for setup in openers(self.space, engine, known) if setup.key not in turn.excluded]
        doubts = self._doubts(turn.earlier)
        reasons = {setup: explain_hopeless(setup, self.space, known) or doubts.about(setup) for setup in found}
        hopeless = {setup: why for setup, why in reasons.items() if why is not None}
        yield from (_skipped(name, setup, why) for setup, why in hopeless.items())
        tried = [setup for setup in found if setup not in hopeless]
        if turn.left_s < LEAST_S[load_engine(engine).COST]:
            yield from (_skipped(name, setup, NO_TIME) for setup in tried)
        elif tried:
            yield from self._race(name, tried, turn, OPENING_ROUNDS)

    def race_promising(self, turn: Turn) -> Iterator[Record]:
        """Whatever may come near the best, until nothing is left of it, or of the seconds. An engine that there was no
        time for is not one whose first variant failed: its other variants are no way around that."""
        known = list(turn.earlier)
        while not turn.is_over:
            records = _measurements(known)
            tried = list(dict.fromkeys(record.setup for record in records if record.reason != NO_TIME))
            doubts = self._doubts(records)
            found = promising(self.space, self._scores_of(records), tried)
            found = [setup for setup in found if setup.key not in turn.excluded and doubts.about(setup) is None]
            if not found:
                return
            each_s = _expected_seconds(records, base_of(found[0]))
            fitting = min(AT_ONCE, max(int(turn.left_s / each_s), 1)) if each_s > 0 else AT_ONCE
            contestants = [setup for setup in found if base_of(setup) == base_of(found[0])][:fitting]
            name = f"{self.name}/more/{len({one.contest for one in records if '/more/' in one.name}) + 1}"
            if each_s > turn.left_s:
                why = f"about {each_s:.0f} s to prepare, and {turn.left_s:.0f} s were left: give more --budget"
                new: list[Record] = [_skipped(name, setup, why) for setup in contestants]
                yield from new
            else:
                new = []
                part = replace(turn, seconds=turn.left_s, earlier=tuple(known), is_undecided=False)
                for record in self._race(name, contestants, part, OPENING_ROUNDS):
                    new.append(record)
                    yield record
            known += new

    def race_finalists(self, turn: Turn) -> Iterator[Record]:
        """The best of all against each other, for as long as it takes."""
        name = f"{self.name}/final"
        begun = [one.setup for one in _measurements(turn.earlier) if one.contest == name]
        chosen = list(dict.fromkeys(begun)) or finalists(self._scores(turn))
        yield from self._race(name, [*self._control(), *chosen], turn)

    def race_batches(self, turn: Turn) -> Iterator[Record]:
        """The best setups in batches twice as large each time, until a bound, the memory or the seconds end it."""
        best = finalists(self._scores(turn))[:2]
        for doubling in range(1, MOST_BATCH_DOUBLINGS + 1):
            times = 2**doubling
            name = f"{self.name}/batches/times={times}"
            larger = enlarge(self.subject, times)
            why = larger if isinstance(larger, str) else explain_too_large(larger, self._wish.question)
            if why is not None or isinstance(larger, str):
                yield _skipped(name, self._plain, str(why))
                return
            part = replace(turn, seconds=turn.left_s / 2, earlier=(), is_undecided=False)
            entrants = [self._entrant(setup) for setup in (self._plain, *self._control())]
            entrants += [_renamed(self._enter(larger, setup), times) for setup in best]
            slowest_s = 0.0
            for record in Race(name, entrants, part, goal="all_rounds", most_rounds=OPENING_ROUNDS).run():
                slowest_s = max(slowest_s, min(record.samples, default=0.0))
                yield record
            bound_s = self._wish.question.latency_bound_s
            if turn.left_s < LEAST_CALLS * slowest_s or (bound_s is not None and slowest_s > bound_s):
                return

    def race_workers(self, turn: Turn) -> Iterator[Record]:
        """The person's own DataLoader with other numbers of workers, training in the best setup."""
        best = next(iter(finalists(self._scores(turn))), self._plain)
        entrants = stretches(self._lesson(self.subject), without_parts(best))
        yield from Race(f"{self.name}/workers", entrants, turn, most_rounds=OPENING_ROUNDS).run()
        turn.is_undecided = False

    # How one contest is run.

    def _scores(self, turn: Turn) -> dict[Setup, float]:
        return self._scores_of(_measurements(turn.earlier))

    def _scores_of(self, records: Sequence[Measurement]) -> dict[Setup, float]:
        """Without those in doubt: who will not be recommended keeps nobody out of the final."""
        doubts, found = self._doubts(records), scores(records, self._wish.question)
        return {setup: score for setup, score in found.items() if doubts.about(setup) is None}

    def _control(self) -> list[Setup]:
        control = self._doubts(()).control
        return [] if control is None else [control]

    def _doubts(self, records: Sequence[Record]) -> Doubts:
        return replace(doubts_of(_measurements(records), self._wish.question, self._wish.busy), plain=self._plain)

    def _race(self, name: str, setups: Sequence[Setup], turn: Turn, most_rounds: int | None = None) -> Iterator[Record]:
        """A contest with the plain run in it; then what else is asked of those that are right."""
        contestants = list(dict.fromkeys((self._plain, *setups)))
        entrants = [self._entrant(setup) for setup in contestants]
        limited = {} if most_rounds is None else {"most_rounds": most_rounds}
        race = Race(name, entrants, turn, goal="fastest", **limited)
        found = _measurements(turn.earlier)
        for record in race.run():
            found.append(record)
            yield record
        turn.is_undecided = turn.is_undecided and most_rounds is None
        for record in self._measure_amounts(race, found, turn, is_last=most_rounds is None):
            found.append(record)
            yield record
        self._forget_the_slow(found)

    def _measure_amounts(
        self, race: Race, known: Sequence[Measurement], turn: Turn, is_last: bool
    ) -> Iterator[Measurement]:
        question = self._wish.question
        counted = {(one.setup, one.unit) for one in known}
        right = [setup for setup in race.ready if race.records[setup].status == "ok"]
        for setup in right if question.needs_memory or is_last else ():
            if (setup, "bytes") not in counted:
                turn.begin(setup)
                yield measure_peak(race.ready[setup], setup, f"{race.name}/memory")
        for setup in right if question.objective == "energy" else ():
            if (setup, "J") not in counted:
                turn.begin(setup)
                yield measure_joules(race.ready[setup], setup, f"{race.name}/energy")

    def _forget_the_slow(self, records: Sequence[Measurement]) -> None:
        found = self._scores_of(records)
        enough = max(KEPT_WITHIN, NEAR) * min(found.values(), default=0.0)
        kept = {setup for setup in found if found[setup] <= enough} | {self._plain}
        self._ready = {setup: ready for setup, ready in self._ready.items() if setup in kept}

    def _entrant(self, setup: Setup) -> Entrant:
        """Made ready once."""

        def prepare() -> Ready | str:
            if setup not in self._ready:
                made = self._enter(self.subject, setup).prepare()
                if isinstance(made, str):
                    return made
                self._ready[setup] = self._with_python_share(made) if setup == self._plain else made
            return self._ready[setup]

        return Entrant(setup, prepare)

    def _with_python_share(self, plain: Ready) -> Ready:
        """The plain run, whose record says how much of it an exported model would leave out. Nobody exports a step. On
        a busy machine one thread is watched: several wait for each other inside of an operator."""
        if self._wish.train:
            return plain
        with using_threads(1 if self._wish.busy else self._plain.threads):
            share = measure_python_share(plain.call)
        said: dict[str, Scalar] = {} if share is None else {PYTHON_SHARE: share}
        return replace(plain, facts=lambda: {**plain.facts(), **said})

    def _enter(self, subject: Subject, setup: Setup) -> Entrant:
        if not self._wish.train:
            return answering(subject, setup, 1, self._wish.tolerance)
        if parts_of(setup) > 1 and _has_batch_norm(subject.model):
            return Entrant(setup, lambda: BATCH_NORM)
        return Entrant(setup, partial(self._prepare_learning, subject, setup))

    def _prepare_learning(self, subject: Subject, setup: Setup) -> Ready | str:
        lesson, batch = self._lesson(subject), 2 if subject.repeats else 1
        why = self._chance
        entrant = learning(lesson, setup, batch) if why is None else learning_unverified(lesson, setup, batch, why)
        return entrant.prepare()

    @cached_property
    def _chance(self) -> str | None:
        return explain_chance(self.subject)

    def _lesson(self, subject: Subject) -> Lesson:
        lesson = lesson_of(subject)
        if not isinstance(lesson, Lesson):
            raise UserError(lesson, "leave --train out, or set requires_grad on what should learn")
        return lesson


def _has_batch_norm(model: nn.Module) -> bool:
    """Found by its kind: of a model whose answers cannot be verified, the first step would show nothing."""
    return any(isinstance(layer, nn.modules.batchnorm._BatchNorm) for layer in model.modules())


def _measurements(records: Sequence[Record]) -> list[Measurement]:
    return [record for record in records if isinstance(record, Measurement)]


def _expected_seconds(records: Sequence[Measurement], engine: str) -> float:
    """What preparing another setup of an engine takes, by those before it; an export is made once for all of them."""
    if getattr(load_engine(engine), "EXPORTS", False):
        return 0.0
    spent_s = seconds_to_prepare(records)
    return max((seconds for setup, seconds in spent_s.items() if base_of(setup) == engine), default=0.0)


def _skipped(name: str, setup: Setup, why: str) -> Measurement:
    return Measurement(name=name, setup=setup, unit="s", status="skipped", reason=why)


def _renamed(entrant: Entrant, times: int) -> Entrant:
    """The same setup in a larger batch is another rival."""
    options = tuple(sorted((*entrant.setup.options, f"{GROWN}{times}")))
    return replace(entrant, setup=msgspec.structs.replace(entrant.setup, options=options))

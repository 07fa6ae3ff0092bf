"""The setups of one piece of work against each other: made ready, judged, raced, recorded. `bench` and `tune` use it.

The first entrant is the baseline. What can't be made ready, is unsupported, runs out of memory or is wrong becomes a
record with that status; the others go on. Who is so slow that the others would lose their rounds to it is taken out
with the few calls that it made.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec
import torch
from torch import nn

from torchstone import stats
from torchstone.backends import find_device
from torchstone.errors import UserError
from torchstone.measuring.clock import Clock
from torchstone.measuring.contest import MOST_ROUNDS, Contest, Goal, Standing
from torchstone.measuring.rivals import Rival, synchronizer
from torchstone.measuring.sync_audit import audited
from torchstone.measuring.timing import Call, Verify, WrongOutputError, status_of
from torchstone.measuring.waiting import WaitWatch, watch_of
from torchstone.models.placing import is_plain, use_threads
from torchstone.records import Measurement, Scalar, Setup, Status
from torchstone.scheduling.case import Turn
from torchstone.stats import PairedRatio, paired_ratio

ROWS = 10
"""For how many rows each difference gathers evidence: of fifty rows a fifth and more differ, and e-BH then asks no more
of each than of ten."""
LEAST_TURNS = 8
"""Who can't have so many turns in the seconds that are left is taken out."""
AROUND_A_CALL = 1.3
"""A turn takes about so many times the seconds of a call, with what is not counted."""
AUDIT_SHARE = 0.2
"""Of a turn's seconds, that an audit of how a device waits may take."""
KEPT_FOR_ROUNDS = 0.5
"""Of a turn's seconds, however long preparing took."""
DECIDING_ROUNDS = 10
"""Fewer decide only what is unanimous: for so many a turn is made longer, up to its own length again."""
SAVE_EVERY_S = 1.0
LOOK_S = 1.0
"""Whose turn lasts from one look to the next is named."""
FEWEST_ENTRANTS = 2
"""That are made ready whatever the clock says: one alone would be compared with nothing."""
NO_TIME = "no time was left to prepare it: give more --budget"


@dataclass(frozen=True)
class Ready:
    """One piece of work, ready to be called in one setup."""

    call: Call
    check: Verify | None = None
    """Looks at an output and says what is wrong with it, or None."""
    facts: Callable[[], dict[str, Scalar]] = dict
    """What the record says beside the samples; asked when all is over."""
    believe: Callable[[Measurement], Measurement] = lambda record: record
    """A last look at the record: may it be believed?"""
    model: nn.Module | None = None
    """As it was placed, where it still is one of torch's: whose weights are counted apart."""
    optimizer: torch.optim.Optimizer | None = None
    """Of a training step: whose state is counted apart."""


@dataclass(frozen=True)
class Entrant:
    """One setup of the work, before anything is built."""

    setup: Setup
    prepare: Callable[[], Ready | str]
    """Ready, or a sentence why not; may raise what a model or a device raises."""


class Race:
    """One contest between the setups of one piece of work."""

    def __init__(
        self,
        name: str,
        entrants: Sequence[Entrant],
        turn: Turn,
        goal: Goal = "against_baseline",
        most_rounds: int = MOST_ROUNDS,
    ) -> None:
        self.name, self._most_rounds = name, most_rounds
        self.ready: dict[Setup, Ready] = {}
        """Who could be made ready, for what is measured of them beside their speed."""
        self.records: dict[Setup, Measurement] = {}
        self._entrants, self._turn, self._goal = entrants, turn, goal
        self._prepare_s: dict[Setup, float] = {}
        self._watches: dict[Setup, WaitWatch] = {}
        self._saved = turn.now()
        found = [record for record in turn.earlier if isinstance(record, Measurement) and record.contest == name]
        # Where only the baseline had time to run, nothing was compared yet: the contest begins anew.
        is_begun = sum(bool(record.samples) for record in found) > 1
        self._earlier = {record.setup: record for record in found} if is_begun else {}
        self.records.update(self._earlier)
        self._has_left_behind = False
        """Whether rounds would now be run without somebody who is still in: what comes after them could not join."""

    def run(self) -> Iterator[Measurement]:
        """Give the record of every setup; `Turn.is_undecided` says whether more seconds would tell more."""
        for entrant in self._entrants:
            refused = self._prepare(entrant)
            if refused is not None:
                self.records[entrant.setup] = refused
                yield refused
        if self._has_left_behind:
            self._turn.is_undecided = True
        if self._has_left_behind or not self.ready:
            return
        contest, withdrawn = self._begin()
        with self._naming_who_hangs(contest):
            while not contest.is_decided:
                self._turn.note(contest.progress)
                contest.step()
                self._save(contest)
                is_over = contest.round_s > self._turn.left_s and not self._is_nearly_there(contest)
                if is_over or contest.rounds >= self._most_rounds:
                    break
        for record in self._end(contest, withdrawn):
            self.records[record.setup] = record
            yield record

    def compare(self, baseline: Setup, setup: Setup) -> PairedRatio | None:
        """The setup's time over the baseline's; None where one of them has no samples."""
        records = [self.records.get(one) for one in (baseline, setup)]
        a, b = (record.samples if record is not None and record.status == "ok" else () for record in records)
        return paired_ratio(a, b) if a and b else None

    def explain(self, setup: Setup) -> str:
        """Why a setup has no samples."""
        record = self.records.get(setup)
        if record is None:
            return "its process was lost"
        return record.reason or str(record.facts.get("ended", "it was not reached"))

    def _prepare(self, entrant: Entrant) -> Measurement | None:
        """Make it ready; or the record that says why not."""
        setup, turn = entrant.setup, self._turn
        if setup.key in turn.excluded or self._is_decided(setup) or self._is_too_late(setup):
            return None
        if len(self.ready) >= FEWEST_ENTRANTS and turn.is_over:
            self._has_left_behind |= setup in self._earlier
            return None if setup in self._earlier else self._without(setup, "skipped", NO_TIME)
        turn.begin(setup)
        turn.note("preparing")
        use_threads(setup)
        started = turn.now()
        try:
            ready = entrant.prepare()
        except UserError:
            raise
        except WrongOutputError as error:
            return self._without(setup, "wrong", str(error))
        except Exception as error:  # a device may refuse anything: the exception is the result
            return self._without(setup, *status_of(error))
        if isinstance(ready, str):
            return self._without(setup, "unsupported", ready)
        self.ready[setup] = ready
        self._prepare_s[setup] = turn.now() - started
        return None

    def _is_too_late(self, setup: Setup) -> bool:
        """Whether the contest goes on without it: its rounds would not be those of the others. Its record is kept."""
        return bool(self._earlier) and setup not in self._earlier

    def _is_decided(self, setup: Setup) -> bool:
        """Whether an earlier turn has told all that was asked of it."""
        baseline, own = self._earlier.get(self._entrants[0].setup), self._earlier.get(setup)
        if baseline is None or own is None or own is baseline or not (baseline.samples and own.samples):
            return False
        if self._goal == "fastest":
            return len(own.samples) < max(len(record.samples) for record in self._earlier.values())
        return (
            len(own.samples) < len(baseline.samples) or paired_ratio(baseline.samples, own.samples).verdict != "unclear"
        )

    def _begin(self) -> tuple[Contest, dict[str, float]]:
        """The contest, warm; and who was so slow that it was taken out, with the seconds of its call."""
        earlier = {setup.key: self._earlier[setup].samples for setup in self.ready if setup in self._earlier}
        contest = Contest(self._rivals(), goal=self._goal, band=stats.BAND, rows=ROWS, earlier=earlier)
        self._warm_up(contest)
        self._turn.keep(KEPT_FOR_ROUNDS)
        needed_s = DECIDING_ROUNDS * self._round_s(contest)
        self._turn.keep(min(needed_s / self._turn.granted_s, 1.0) if self._turn.granted_s else 0.0)
        return contest, self._withdraw_the_slow(contest)

    @contextmanager
    def _naming_who_hangs(self, contest: Contest) -> Iterator[None]:
        """Say whose turn it is where it lasts. Saying so before every turn would wake the other process in each sample;
        this looks now and then, from a thread of its own, which sleeps meanwhile."""
        names = {setup.key: setup for setup in self.ready}
        is_over = threading.Event()

        def look() -> None:
            before = named = None
            while not is_over.wait(LOOK_S):
                at = (contest.rounds, contest.at_work)
                if at == before != named and at[1] is not None:
                    self._turn.begin(names[at[1]])
                    named = at  # once: what is heard from a case says that it goes on
                before = at

        thread = threading.Thread(target=look, daemon=True)
        thread.start()
        try:
            yield
        finally:
            is_over.set()
            thread.join()
            self._turn.begin(self._entrants[0].setup)

    def _end(self, contest: Contest, withdrawn: dict[str, float]) -> Iterator[Measurement]:
        names = {setup.key: setup for setup in self.ready}
        result = contest.finish()
        use_threads(self._entrants[0].setup)  # what the last round left behind is nobody's doing
        self._turn.is_undecided = not result.is_decided and contest.rounds < self._most_rounds
        records = [self._record(one, names[one.name], withdrawn.get(one.name)) for one in result.standings]
        yield from self._refuse_unwaited(records)

    def _refuse_unwaited(self, records: Sequence[Measurement]) -> Iterator[Measurement]:
        """All records of a device that was not waited for in one of them are refused, those of earlier turns as well:
        in a contest each stands beside the others."""
        reasons = {setup.device: watch.reason for setup, watch in self._watches.items() if watch.reason is not None}
        earlier = [record for setup, record in self._earlier.items() if setup not in self.ready]
        for record in (*records, *(one for one in earlier if one.setup.device in reasons)):
            reason = reasons.get(record.setup.device)
            if reason is not None and record.status == "ok":
                record = msgspec.structs.replace(record, status="wrong", reason=reason, samples=())
            yield record

    def _save(self, contest: Contest) -> None:
        """Now and then: what an interrupt, or a rival that ends the process, would take away."""
        if self._turn.now() < self._saved + SAVE_EVERY_S:
            return
        self._saved = self._turn.now()
        names = {setup.key: setup for setup in self.ready}
        standings = [one for one in contest.result().standings if one.samples and one.status == "ok"]
        self._turn.save(tuple(self._as_it_stands(one, names[one.name]) for one in standings))

    def _rivals(self) -> list[Rival]:
        """Those with the same number of threads share their switch; where all have, there is none."""
        switches = {setup.threads: partial(use_threads, setup) for setup in self.ready}
        is_needed = len(switches) > 1
        use_threads(next(iter(self.ready)))
        rivals = []
        for setup, ready in self.ready.items():
            backend, device = find_device(setup.device)
            switch = switches[setup.threads] if is_needed else None
            watch = watch_of(Clock(backend, setup.device), device.kind)
            if watch is not None:
                self._watches[setup] = watch
            wait = synchronizer(backend, setup.device)
            rivals.append(Rival(setup.key, ready.call, wait, switch, ready.check, watch))
        return rivals

    def _warm_up(self, contest: Contest) -> None:
        names = {setup.key: setup for setup in self.ready}
        while contest.next_cold is not None and not contest.is_decided:  # an earlier turn may have told all
            self._turn.begin(names[contest.next_cold])
            self._turn.note(contest.progress)
            contest.step()

    def _round_s(self, contest: Contest) -> float:
        """About how long a round takes."""
        return AROUND_A_CALL * sum(contest.call_s.values())

    def _is_nearly_there(self, contest: Contest) -> bool:
        """Whether the rounds that are still missing cost less than another turn: on a busy machine a round takes longer
        than it seemed to, and all before it would have been for nothing."""
        missing = DECIDING_ROUNDS - contest.rounds
        return 0 < missing <= contest.rounds and missing * contest.round_s <= self._turn.granted_s

    def _withdraw_the_slow(self, contest: Contest) -> dict[str, float]:
        """Who would leave the others fewer rounds than decide; with the seconds of the call that it made."""
        withdrawn: dict[str, float] = {}
        baseline = self._entrants[0].setup.key
        while len(contest.call_s) > 1 and LEAST_TURNS * self._round_s(contest) > self._turn.left_s:
            others = {name: seconds for name, seconds in contest.call_s.items() if name != baseline}
            name, seconds = max(others.items(), key=lambda item: item[1])
            if LEAST_TURNS * AROUND_A_CALL * seconds <= self._turn.left_s / 2:
                break
            withdrawn[name] = seconds
            contest.withdraw(name, f"a call takes {seconds:.3g} s: too few rounds fit into its seconds")
        return withdrawn

    def _record(self, standing: Standing, setup: Setup, withdrawn_s: float | None) -> Measurement:
        ready, earlier = self.ready[setup], self._earlier.get(setup)
        record = self._as_it_stands(standing, setup)
        if withdrawn_s is not None and not standing.samples:
            record = msgspec.structs.replace(record, samples=(withdrawn_s,), contest=None)
        if earlier is not None:
            record = msgspec.structs.replace(
                record, first_call_s=earlier.first_call_s, compile_s=earlier.compile_s, audit=earlier.audit
            )
        elif record.status == "ok":
            record = self._audited(record, ready.call)
        if record.status != "ok":
            return msgspec.structs.replace(record, samples=())
        return ready.believe(record)

    def _as_it_stands(self, standing: Standing, setup: Setup) -> Measurement:
        facts = {**self.ready[setup].facts(), "ended": standing.why, "prepare_s": self._prepare_s[setup]}
        return standing.as_measurement(self.name, setup, facts, self.name)

    def _audited(self, record: Measurement, call: Callable[[], Any]) -> Measurement:
        """On an accelerator: whether its synchronize waits, of the plain setup, where the seconds allow it."""
        watch = self._watches.get(record.setup)
        if watch is None or not is_plain(record.setup) or not record.samples:
            return record
        if 50 * min(record.samples) > AUDIT_SHARE * self._turn.seconds:
            return record
        return audited(record, call, watch)

    def _without(self, setup: Setup, status: Status, reason: str) -> Measurement:
        return Measurement(name=self.name, setup=setup, unit="s", status=status, reason=reason)

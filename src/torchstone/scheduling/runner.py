"""Hands cases to workers within one budget; every record is safe before the next is made.

One clock decides everything. Cases are taken in the order of what they tell, and where not all can have a turn in that
of what they tell for their effort; each gets its share of the seconds that are left, and what it does not need goes to
those after it. When all have had a turn, the seconds that are left go to
those that were not decided. A case that kills its worker, or hangs, costs itself alone: where it said which of its
setups was at work, only that setup. One thread follows all workers.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import msgspec

from torchstone.errors import UserError
from torchstone.measuring.timing import status_of_outcome
from torchstone.processes import ForkServer, Handle, Limits, start, wait_for_any
from torchstone.records import HUNG, Finished, Line, Measurement, Setup
from torchstone.scheduling.case import Listing, Record
from torchstone.scheduling.worker import At, Done, Found, Listed, Message, Mistake, Note, Order, Provider, SoFar, work

LEAST_TURN_S = 4.0
"""Of a case of weight 1. A shorter turn would prepare a model and decide nothing: fewer cases then, and those well."""
ROOMY_TURN_S = 8.0
"""Of a case of weight 1. Below it, a heavy case that overruns its turn would leave those after it nothing."""
LEAST_LEFT_S = 8.0
"""Below, no case is given another turn: it would have to be made ready again, and end late."""
PATIENCE = 3.0
PATIENCE_S, PATIENCE_SHARE = 60.0, 0.25
"""A case may take three times its turn and a minute more (a first call, a compilation) before it is ended; of a short
budget a quarter instead of the minute."""
MOST_SHARE = 0.5
"""Of the whole budget, for one case, where others wait: one that hangs must leave them something."""
OVERRUN = 1.1
START_S = 30.0
"""How far a whole run may exceed its budget; one that has nothing to show yet may take this long all the same, and so
may any case: on a busy machine importing a model takes as long."""
SILENT_S = 10.0
"""Once a case has shown something its model is there, and those seconds are over when no more comes for so long."""
TICK_S = 0.5
MOST_TRIES = 4
"""Of a case whose setups end its process one after another."""


@dataclass(frozen=True)
class Progress:
    """Where a run stands, for whoever shows it."""

    case: str
    left_s: float
    done: int
    total: int
    setup: Setup | None = None
    note: str = ""
    record: Record | None = None


@dataclass
class _Waiting:
    """A case that is still to be run."""

    listing: Listing
    earlier: list[Record] = field(default_factory=list)
    excluded: set[str] = field(default_factory=set)
    has_begun: bool = False
    """Whether it had a turn: then its records are there, and another would only tell more."""


@dataclass
class _Worker:
    """A process and the case that it is at."""

    handle: Handle
    at: _Waiting | None = None
    found: list[Record] = field(default_factory=list)
    so_far: tuple[Record, ...] = ()
    """What the case at work would say if it ended now."""
    setup: Setup | None = None
    note: str = ""
    turn_s: float = 0.0
    began: float = 0.0
    showed: float | None = None
    """When the case at work had something to show last."""
    is_overdue: bool = False
    has_listed: bool = False
    is_leaving: bool = False


@dataclass
class Runner:
    """Runs the cases of any provider; knows no experiment."""

    provide: Provider
    keep: Callable[[Line], None]
    """Called with each record as soon as it is found, and with the key of each case that is finished."""
    show: Callable[[Progress], None] = lambda progress: None
    budget_s: float = math.inf
    workers: int = 1
    """For cases that are not timed; one that is timed runs alone."""
    server: ForkServer | None = None
    """Forks the workers; without one Python is started anew for each."""
    begins_anyway: bool = False
    """The first case is run however late it is: where starting took all the seconds, there is something to say yet."""
    finished: frozenset[str] = frozenset()
    """Keys of cases that were done in an earlier sitting."""
    memory_bytes: int | None = None
    now: Callable[[], float] = time.monotonic
    known: Sequence[Record] = ()
    """What an earlier sitting of the same run found."""
    mistakes: list[UserError] = field(default_factory=list)
    left: list[Listing] = field(default_factory=list)
    """What was not begun when the budget was spent."""
    _waiting: list[_Waiting] = field(default_factory=list)
    _undecided: list[_Waiting] = field(default_factory=list)
    _team: list[_Worker] = field(default_factory=list)
    _started: float = 0.0
    _total: int = 0
    _done: int = 0
    _records: list[Record] = field(default_factory=list)
    _has_list: bool = False

    def run(self) -> None:
        """Until all is done or the budget is spent; an interrupt leaves no worker behind."""
        self._started = self.now()
        try:
            self._hire()
            while self._team:
                self._assign()
                self._follow()
        except KeyboardInterrupt:
            self._keep_all_so_far()
            raise
        finally:
            for worker in self._team:
                worker.handle.close()
        self.left += [one.listing for one in self._waiting if not one.has_begun]

    @property
    def unfinished(self) -> int | None:
        """How many cases an interrupt left, those at work among them; None before it is known which there are."""
        return self._total - self._done if self._has_list else None

    @property
    def left_s(self) -> float:
        return self._started + self.budget_s - self.now()

    # Who does what.

    def _hire(self) -> None:
        limits = Limits(seconds=math.inf, memory_bytes=self.memory_bytes)
        handle = start(partial(work, self.provide), limits=limits, forked=self.server, talks=True, receives=Message)
        self._team.append(_Worker(handle, began=self.now()))

    def _assign(self) -> None:
        """Give every idle worker a case, hire where more could run side by side, dismiss where nothing is left."""
        if self._has_list and not self._waiting and all(one.at is None for one in self._team):
            self._take_undecided_again()
        for worker in self._team:
            if worker.has_listed and worker.at is None and not worker.is_leaving:
                self._hand_over(worker)
        if self._has_list and len(self._team) < self._wanted_workers():
            self._hire()

    def _wanted_workers(self) -> int:
        beside = sum(not one.listing.is_timed for one in self._waiting) if self.left_s > 0 else 0
        busy = sum(one.at is not None for one in self._team)
        is_alone = any(one.at is not None and one.at.listing.is_timed for one in self._team)
        wanted = busy if is_alone else min(self.workers, busy + beside)
        return max(wanted, 1) if self._waiting and self.left_s > 0 else busy

    def _hand_over(self, worker: _Worker) -> None:
        is_due = self.left_s > 0 or (self.begins_anyway and not self._has_measured())
        if not self._waiting or not is_due:
            worker.handle.finish()
            worker.is_leaving = True
            return
        if self._is_short():
            self._waiting.sort(key=lambda one: one.listing.price)
        busy = [one for one in self._team if one.at is not None]
        if busy and (self._waiting[0].listing.is_timed or any(one.at.listing.is_timed for one in busy if one.at)):
            return
        if self._waiting[0].listing.is_alone and worker.found:
            worker.handle.finish()  # the next one is hired fresh
            worker.is_leaving = True
            return
        turn_s = self._turn_s()
        waiting = self._waiting.pop(0)
        worker.at, worker.setup, worker.note, worker.turn_s, worker.began = waiting, None, "", turn_s, self.now()
        worker.showed = None
        earlier = self._records if waiting.listing.knows_all else waiting.earlier
        order = Order(waiting.listing.key, turn_s, tuple(earlier), frozenset(waiting.excluded))
        worker.handle.send(order)
        self._show(worker)

    def _is_short(self) -> bool:
        """Whether not all can have the turn that they need, as within a small budget, or where others keep the machine
        busy: then those come first that tell most for their effort, so that more is answered."""
        return self._share_s() < ROOMY_TURN_S

    def _share_s(self) -> float:
        """Of what is left, for a case of weight 1."""
        return self.left_s / sum(one.listing.weight for one in self._waiting)

    def _turn_s(self) -> float:
        """The next case's share of what is left."""
        if math.isinf(self.budget_s):
            return math.inf
        weight = self._waiting[0].listing.weight
        beside = 1 if self._waiting[0].listing.is_timed else self.workers
        share_s = self._share_s() * beside * weight
        left_s = self.left_s if self.left_s > 0 else LEAST_TURN_S
        return min(max(share_s, LEAST_TURN_S * weight), left_s)

    def _take_undecided_again(self) -> None:
        if self.left_s > LEAST_LEFT_S and not math.isinf(self.budget_s):
            self._waiting = sorted(self._undecided, key=lambda one: one.listing.rank)
            self._undecided = []

    # What workers say.

    def _follow(self) -> None:
        wait_for_any([worker.handle for worker in self._team], TICK_S)
        for worker in list(self._team):
            while (message := worker.handle.receive(0.0)) is not None:
                self._take(worker, message)
            if worker.handle.outcome is not None:
                self._team.remove(worker)
                self._bury(worker)
            else:
                self._end_if_overdue(worker)
                self._show(worker)

    def _take(self, worker: _Worker, message: Message) -> None:
        if isinstance(message, Found | SoFar):
            worker.showed = self.now()
        match message:
            case Listed():
                self._take_list(worker, message)
            case At():
                worker.setup = message.setup
            case Note():
                worker.note = message.words
            case Found():
                worker.so_far = ()
                self._keep(worker, message.record)
            case SoFar():
                worker.so_far = message.records
            case Mistake():
                self.mistakes.append(UserError(message.message, message.hint))
            case Done():
                self._finish(worker, message.is_undecided)

    def _take_list(self, worker: _Worker, message: Listed) -> None:
        worker.has_listed = True
        if self._has_list:
            return
        self._has_list = True
        self.mistakes += [UserError(*mistake) for mistake in message.mistakes]
        ordered = sorted(message.cases, key=lambda listing: listing.rank)
        self._waiting = [self._as_left(listing) for listing in ordered if listing.key not in self.finished]
        self._total = len(ordered)
        self._done = len(ordered) - len(self._waiting)

    def _as_left(self, listing: Listing) -> _Waiting:
        """With what an earlier sitting found: a contest goes on from its samples."""
        own: list[Record] = [one for one in self.known if isinstance(one, Measurement) and one.contest == listing.name]
        return _Waiting(listing, own, has_begun=bool(own))

    def _keep(self, worker: _Worker, record: Record) -> None:
        self.keep(record)
        self._records.append(record)
        worker.found.append(record)
        if worker.at is not None:
            worker.at.earlier.append(record)
        self._show(worker, record)

    def _finish(self, worker: _Worker, is_undecided: bool) -> None:
        waiting, worker.at = worker.at, None
        if waiting is None:
            return
        self.keep(Finished(case=waiting.listing.key, is_undecided=is_undecided))
        self._done = min(self._done + 1, self._total)
        waiting.has_begun = True
        if is_undecided:
            self._undecided.append(waiting)

    # What becomes of those that die.

    def _end_if_overdue(self, worker: _Worker) -> None:
        if worker.at is None or worker.is_overdue:
            return
        taken_s = self.now() - worker.began
        limit_s = worker.at.listing.limit_s or self._patience_s(worker)
        hard_end = self._started + self.budget_s * OVERRUN
        if not self._has_measured() or worker.began > self._started + self.budget_s:
            hard_end = max(hard_end, worker.began + _start_s(worker))
        if taken_s > limit_s or self.now() > hard_end:
            worker.is_overdue = True
            worker.handle.kill()

    def _patience_s(self, worker: _Worker) -> float:
        """How long its case may take."""
        turn_s, start_s = worker.turn_s, _start_s(worker)
        limit_s = max(PATIENCE * turn_s + min(PATIENCE_S, PATIENCE_SHARE * self.budget_s), start_s)
        return min(limit_s, max(turn_s, MOST_SHARE * self.budget_s, start_s)) if self._waiting else limit_s

    def _bury(self, worker: _Worker) -> None:
        outcome = worker.handle.outcome
        assert outcome is not None
        outcome.raise_user_error()
        if worker.at is not None:
            self._record_loss(worker, worker.at)
        elif not worker.has_listed:
            _, reason = status_of_outcome(outcome)
            raise UserError(f"the worker process was lost before it could list its cases: {reason}", LOST_HINT)
        if self._waiting and self.left_s > 0 and not self._team:
            self._hire()

    def _keep_all_so_far(self) -> None:
        """Before an interrupt ends the workers."""
        for worker in self._team:
            while (message := worker.handle.receive(0.0)) is not None:
                self._take(worker, message)
            self._keep_so_far(worker)

    def _keep_so_far(self, worker: _Worker, but: Setup | None = None) -> None:
        """The rounds of a contest that did not come to its end, without those of the setup that ended it."""
        records, worker.so_far = worker.so_far, ()
        for record in records:
            if not (isinstance(record, Measurement) and record.setup == but):
                self._keep(worker, record)

    def _record_loss(self, worker: _Worker, waiting: _Waiting) -> None:
        assert worker.handle.outcome is not None
        others_can_go_on = worker.setup is not None and worker.setup.key != waiting.listing.setup.key
        self._keep_so_far(worker, worker.setup if others_can_go_on else None)
        listing, taken_s = waiting.listing, self.now() - worker.began
        if worker.is_overdue and listing.limit_s is not None and taken_s > listing.limit_s:
            reason = f"did not end within {listing.limit_s:g} s"
            self._keep(worker, listing.lost("failed", reason, worker.setup, "hang"))
        elif worker.is_overdue:
            reason = f"did not end within {taken_s:.0f} s, where it had {worker.turn_s:.3g} s"
            doubt = "it hangs, or is too slow for the budget; give more --budget"
            lost = listing.lost("skipped", f"{reason}: {doubt}", worker.setup)
            if _is_silent(worker, self.now()):
                lost = msgspec.structs.replace(lost, facts={**lost.facts, HUNG: True})
            if not any(_is_measured_already(one, lost) for one in (*waiting.earlier, *worker.found)):
                self._keep(worker, lost)
        else:
            status, reason = status_of_outcome(worker.handle.outcome)
            self._keep(worker, listing.lost(status, _explain_loss(reason, worker.setup), worker.setup, "crash"))
        if others_can_go_on and len(waiting.excluded) < MOST_TRIES and worker.setup is not None:
            others = [one for one in waiting.earlier if isinstance(one, Measurement) and one.setup != worker.setup]
            excluded = waiting.excluded | {worker.setup.key}
            self._waiting.insert(
                0, _Waiting(listing, [*others], excluded, has_begun=any(one.samples for one in others))
            )
            worker.at = None
        else:
            self._finish(worker, False)

    def _has_measured(self) -> bool:
        return any(not isinstance(one, Measurement) or one.status == "ok" for one in self._records)

    def _show(self, worker: _Worker, record: Record | None = None) -> None:
        name = "" if worker.at is None else worker.at.listing.name
        left_s = max(self.left_s, 0.0)
        self.show(Progress(name, left_s, self._done, self._total, worker.setup, worker.note, record))


def _start_s(worker: _Worker) -> float:
    """How long its case may take however short its turn is: it may still be loading its model."""
    if worker.showed is None:
        return START_S
    return min(START_S, worker.showed - worker.began + SILENT_S)


def _is_silent(worker: _Worker, now: float) -> bool:
    """Whether it had all the time that a case may need to show something: else it was the budget that was over."""
    return now - worker.began >= START_S if worker.showed is None else now - worker.showed >= SILENT_S


def _is_measured_already(found: Record, lost: Record) -> bool:
    """Whether a record before tells what the lost turn would have told more of."""
    if not (isinstance(found, Measurement) and isinstance(lost, Measurement)):
        return False
    return found.status == "ok" and (found.name, found.setup) == (lost.name, lost.setup)


LOST_HINT = "run it again; if it happens again, `torchstone devices` says what is here"


def _explain_loss(reason: str, setup: Setup | None) -> str:
    if setup is None or setup.device == "cpu":
        return reason
    return f"the process that used {setup.device} was lost: {reason}"


def skipped_for_time(listings: Sequence[Listing]) -> list[Record]:
    """Of every case that was not begun, that it was not."""
    return [listing.lost("skipped", "no time was left of the budget: give more --budget") for listing in listings]

"""A case: one thing to run, known by its key; and the turn that it is given to run in.

A case lives in the worker, where its models are. What the runner knows of it is its `Listing`, which travels: enough to
order the cases, to find out which were done in an earlier sitting, and to write the record of one whose process died.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

import msgspec

from torchstone.records import Finding, Measurement, Setup, Status

Record = Measurement | Finding


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """What a runner knows of a case."""

    name: str
    """From general to special with slashes; the first part is what the case belongs to."""
    setup: Setup = Setup()
    rank: int = 0
    """How telling: what has the lowest comes first."""
    weight: float = 1.0
    """Its share of the seconds that are left, against the other cases' weights."""
    effort: float | None = None
    """How much has to be computed before it tells anything, against other cases; None for its weight. Where not all
    can have a turn, what tells most for its effort comes first."""
    is_timed: bool = True
    """Nothing else may run beside it."""
    is_alone: bool = False
    """Gets a worker of its own: what was done before in the same process would show in it."""
    knows_all: bool = False
    """Its turn's `earlier` holds the records of every case of the run so far: what it does depends on them."""
    limit_s: float | None = None
    """What takes longer hangs and is ended; None where the runner judges by its own clock."""
    finding: Finding | None = None
    """For a case that judges instead of measuring: the finding whose verdict and evidence tell how it was lost."""

    @property
    def key(self) -> str:
        return f"{self.name} @ {self.setup.key}"

    @property
    def price(self) -> float:
        """Its effort, the dearer the less it tells."""
        return (1 + self.rank) * (self.weight if self.effort is None else self.effort)

    def lost(self, status: Status, reason: str, setup: Setup | None = None, verdict: str | None = None) -> Record:
        """Its record when it dies; `setup` is what was at work in it."""
        if self.finding is None:
            return Measurement(name=self.name, setup=setup or self.setup, unit="s", status=status, reason=reason)
        return msgspec.structs.replace(
            self.finding, verdict=verdict or status, evidence=reason, level="note" if status == "skipped" else "problem"
        )


@dataclass
class Turn:
    """The seconds that a case is given, counting down, and what is known of it from before."""

    seconds: float
    earlier: tuple[Record, ...] = ()
    """What an earlier turn of the same case found: a contest goes on from its samples. Of a case that knows all, what
    all cases found."""
    excluded: frozenset[str] = frozenset()
    """Keys of setups that have ended the process in an earlier turn."""
    tell: Callable[[Setup | str], None] = lambda said: None
    save: Callable[[tuple[Record, ...]], None] = lambda so_far: None
    """Takes what would be lost if the process ended now; each call replaces what the one before gave."""
    now: Callable[[], float] = time.monotonic
    is_undecided: bool = False
    """Set by the case: more seconds would tell more."""
    started: float = field(init=False)
    granted_s: float = field(init=False)

    def __post_init__(self) -> None:
        self.started, self.granted_s = self.now(), self.seconds

    @property
    def left_s(self) -> float:
        return self.seconds - (self.now() - self.started)

    @property
    def is_over(self) -> bool:
        return self.left_s <= 0

    def keep(self, share: float) -> None:
        """However long preparing took, so much of the turn is left now: else it would have been for nothing."""
        self.seconds = max(self.seconds, self.now() - self.started + share * self.granted_s)

    def part(self, seconds: float, earlier: tuple[Record, ...] = ()) -> "Turn":
        """Some of its seconds, for one of several contests."""
        return replace(self, seconds=seconds, earlier=earlier, is_undecided=False)

    def begin(self, setup: Setup) -> None:
        """Say what is at work from now on: it is blamed if the process dies."""
        self.tell(setup)

    def note(self, words: str) -> None:
        """Say what is being done, for whoever watches."""
        self.tell(words)


@dataclass(frozen=True)
class Case:
    """One thing to run, in the worker."""

    listing: Listing
    run: Callable[[Turn], Iterable[Record]]
    """Measures or judges, and gives its records as they come."""


def case(name: str, run: Callable[[Turn], Iterable[Record]], **listing: object) -> Case:
    """The short way to write one."""
    return Case(Listing(name=name, **listing), run)  # type: ignore[arg-type]

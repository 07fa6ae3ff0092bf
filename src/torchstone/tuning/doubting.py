"""What is not recommended however fast it was, because its speed or its answers are in doubt.

On a busy machine a call of several threads waits for whichever of them another program keeps from running, tens of
milliseconds for twenty microseconds of work; a call of one thread does not. That is no merit of the one thread, nor of
an engine or a dtype whose kernels happen to use one: so there the plain run on one thread races too, as a control, and
who does not beat it only waits less. And where answers cannot be verified (the model is random, or keeps a state),
nobody knows what fewer bits do to them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from torchstone.models.placing import changed
from torchstone.records import Measurement, Setup
from torchstone.training.step import parts_of
from torchstone.tuning.scoring import Question, plain_among

OTHER_THREADS = "on a busy machine another number of threads gains what other programs take: try again when it is quiet"
WAITS_LESS = "on a busy machine it may only wait less: it was not shown to beat the plain run on 1 thread"
FEWER_BITS = "it computes with fewer bits, and the answers could not be verified"
IN_PARTS = "whether it is the same step in parts could not be verified"


@dataclass(frozen=True)
class Doubts:
    """Of one search."""

    plain: Setup | None = None
    unverified: Mapping[Setup, str] = field(default_factory=dict)
    """Whose answers could not be verified, and why."""
    busy: str = ""
    """What others did on this machine meanwhile, in words; empty where it was quiet."""
    beside: str = ""
    """The same where bytes decide, which are alike on a busy machine: speeds are not told there."""

    @property
    def control(self) -> Setup | None:
        """On a busy machine: the plain run without other threads to wait for."""
        return control_of(self.plain) if self.busy and self.plain is not None else None

    def about(self, setup: Setup) -> str | None:
        """Why it is not recommended, however fast it was."""
        if self.plain is None or setup == self.plain:
            return None
        if self.busy and setup.device == self.plain.device and setup.threads != self.plain.threads:
            return OTHER_THREADS
        if not (self.unverified.get(setup) or self.unverified.get(self.plain)):
            return None
        if (setup.dtype, setup.precision) != (self.plain.dtype, self.plain.precision):
            return FEWER_BITS
        return IN_PARTS if parts_of(setup) > 1 else None


def control_of(plain: Setup) -> Setup | None:
    """The plain run on one thread; None where it has no more."""
    return None if plain.threads == 1 else changed(plain, threads=1)


def doubts_of(records: Sequence[Measurement], question: Question, busy: str = "") -> Doubts:
    """From what the records say of themselves."""
    unverified = {one.setup: str(one.facts["unverified"]) for one in records if one.facts.get("unverified")}
    plain = plain_among(records)
    if question.objective == "memory":
        return Doubts(plain, unverified, beside=busy)
    return Doubts(plain, unverified, busy)

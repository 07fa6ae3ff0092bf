"""What grading says: a Verdict made of CheckResults, each with a Failure where it failed.

Plain text and numbers only, so that a verdict can leave the process that made it, be shown on any terminal and be
printed as JSON.
"""

from typing import Literal, TypeAlias

import msgspec

Mark: TypeAlias = Literal["solved", "lean", "fast"]
MARKS: tuple[Mark, ...] = ("solved", "lean", "fast")
ANOTHER_DEVICE = "on_another_device"
"""The name of the check that is all *solved* checks once more, on the pretend device."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """What the structs here share: frozen, keyword-only."""


class Shown(Part, frozen=True, kw_only=True):
    """One value of the failing case: `points  float32[2, 3]` and its lines of text."""

    label: str
    kind: str
    lines: tuple[str, ...] = ()


class Place(Part, frozen=True, kw_only=True):
    """A line of the learner's own file."""

    line: int
    text: str


class Failure(Part, frozen=True, kw_only=True):
    """Why a check failed, in the order in which it is shown."""

    message: str
    """What is wrong, in one sentence."""
    inputs: tuple[Shown, ...] = ()
    expected: Shown | None = None
    got: Shown | None = None
    place: Place | None = None
    teach: str | None = None
    """What it means and what to think about, in one sentence."""


class CheckResult(Part, frozen=True, kw_only=True):
    """One check of an exercise."""

    name: str
    mark: Mark
    passed: bool
    failure: Failure | None = None
    skipped: str | None = None
    """Why the check could not run here; it then counts neither for nor against the mark."""
    evidence: str | None = None
    """What a passed budget or ratio came to: `0.94× the reference's time (0.90–0.99)`."""
    seconds: float = 0.0
    timed: bool = False
    """Whether it rests on a clock, so that a busy machine can change what it says."""


class Picture(Part, frozen=True, kw_only=True):
    """A PNG that an exercise drew."""

    name: str
    png: bytes


class Verdict(Part, frozen=True, kw_only=True):
    """One grading of one file."""

    exercise: str
    device: str
    offered: tuple[Mark, ...]
    """The marks that this exercise has."""
    checks: tuple[CheckResult, ...] = ()
    broken: Failure | None = None
    """Set where the file as a whole could not be graded: a syntax error, an endless loop, an exit."""
    output: str = ""
    output_cut: bool = False
    pictures: tuple[Picture, ...] = ()
    seconds: float = 0.0
    seed: int = 0
    """What the inputs were drawn with: the same seed makes the same cases."""

    @property
    def earned(self) -> tuple[Mark, ...]:
        """The marks whose checks have all passed; nothing counts before *solved*."""
        if self.broken is not None or not self._all_passed("solved"):
            return ()
        return tuple(mark for mark in self.offered if self._all_passed(mark))

    @property
    def solved(self) -> bool:
        return "solved" in self.earned

    @property
    def failures(self) -> tuple[Failure, ...]:
        """What to show, most important first."""
        failed = tuple(check.failure for check in self.checks if check.failure is not None)
        return failed if self.broken is None else (self.broken, *failed)

    def _all_passed(self, mark: Mark) -> bool:
        results = [check for check in self.checks if check.mark == mark and check.skipped is None]
        skipped = any(check.mark == mark and check.skipped for check in self.checks)
        return all(check.passed for check in results) and bool(results or skipped)

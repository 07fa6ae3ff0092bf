"""Checks, and the two ways in which one ends early: `Failed` and `Skipped`."""

import linecache
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FrameType, ModuleType, TracebackType
from typing import Any, NoReturn

from torchstone.learn.grading.session import session
from torchstone.learn.verdicts import Failure, Mark, Place, Shown

CheckFunction = Callable[..., None]


@dataclass(frozen=True)
class Check:
    """A function of a `grade.py` that raises `Failed` or returns."""

    name: str
    mark: Mark
    teach: str | None
    run: CheckFunction


class Failed(Exception):  # noqa: N818 - it is a result, not an error
    """The learner's code does not pass."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class Skipped(Exception):  # noqa: N818 - the same
    """The check cannot run on this machine."""


def check(mark: Mark, *, teach: str | None = None) -> Callable[[CheckFunction], Check]:
    """Make a function `(answer, draw)` a check for `mark`; its name is public, its order that of the file.

    `teach` is the sentence shown with any failure of it that has none of its own.
    """

    def make(function: CheckFunction) -> Check:
        return Check(function.__name__, mark, teach, function)

    return make


def checks_of(module: ModuleType) -> tuple[Check, ...]:
    """The checks of a `grade.py`: first solved, then lean, then fast, each in the order of the file."""
    found = [value for value in vars(module).values() if isinstance(value, Check)]
    order = ("solved", "lean", "fast")
    return tuple(sorted(found, key=lambda one: order.index(one.mark)))


def fail(message: str, *, teach: str | None = None, shown: Sequence[Shown] = ()) -> NoReturn:
    """End the check: `message` says what is wrong in one sentence, `teach` what to think about."""
    raise Failed(Failure(message=message, teach=teach, inputs=tuple(shown)))


def expect(condition: Any, message: str, *, teach: str | None = None) -> None:
    """Fail with `message` unless the condition holds."""
    if not condition:
        fail(message, teach=teach)


def skip(reason: str) -> NoReturn:
    """End the check because this machine can't run it."""
    raise Skipped(reason)


def note(evidence: str) -> None:
    """What the check found though it passes, such as a measured ratio; shown beside the mark."""
    session.evidence = evidence


def expect_raises(
    kind: type[BaseException], function: Callable[..., Any], *args: Any, mentioning: str = "", teach: str | None = None
) -> None:
    """The call must raise `kind`, with a message that has `mentioning` in it."""
    name = getattr(function, "__name__", "your function")
    try:
        function(*args)
    except kind as error:
        expect(
            mentioning.lower() in str(error).lower(),
            f"{name} raises {type(error).__name__}, as it should, but its message {str(error)!r} "
            f"does not mention {mentioning!r}",
            teach=teach,
        )
        return
    fail(f"{name} should raise {kind.__name__} here and returned instead", teach=teach)


def place_in_answer(trace: TracebackType | None) -> Place | None:
    """The deepest line of the learner's own file in a traceback; None where it was not involved."""
    frames = [frame for frame in traceback.extract_tb(trace) if frame.filename == str(session.path)]
    if not frames:
        return None
    return Place(line=frames[-1].lineno or 0, text=(frames[-1].line or "").strip())


def current_place() -> Place | None:
    """Where the learner's code stands right now, seen from something that it called."""
    line = current_line()
    return place_at(line) if line else None


def current_line() -> int:
    """The number of that line, 0 where the learner's code is not involved; quick, for use at every op."""
    path = str(session.path)
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        if frame.f_code.co_filename == path:
            return frame.f_lineno
        frame = frame.f_back
    return 0


def place_at(line: int) -> Place:
    return Place(line=line, text=linecache.getline(str(session.path), line).strip())

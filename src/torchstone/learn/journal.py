"""What a grading had found when its process ended before its time: a file that it writes as it goes."""

import re
from dataclasses import dataclass
from pathlib import Path

import msgspec

from torchstone.files import read_regular
from torchstone.learn.verdicts import CheckResult, Mark

LARGEST_BYTES = 64 << 20
FRAME = re.compile(r'File "(?P<file>.*)", line (?P<line>\d+)')


class Begun(msgspec.Struct, frozen=True, tag_field="event", tag="begun"):
    name: str
    mark: Mark | None = None
    """None while the learner's file is imported."""


class Ended(msgspec.Struct, frozen=True, tag_field="event", tag="ended"):
    result: CheckResult


@dataclass(frozen=True)
class Remains:
    """What a journal says: the checks that ended, and what was running."""

    finished: tuple[CheckResult, ...]
    running: Begun | None


class Journal:
    """Lines of JSON in the grading's scratch folder."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "journal"

    def trace_file(self) -> Path:
        """Where the process writes down its stack just before its time is over."""
        return self.path.with_suffix(".trace")

    def begin(self, name: str, mark: Mark | None = None) -> None:
        self._append(msgspec.json.encode(Begun(name, mark)))

    def add(self, result: CheckResult) -> None:
        self._append(msgspec.json.encode(Ended(result)))

    def _append(self, line: bytes) -> None:
        with self.path.open("ab") as file:
            file.write(line + b"\n")

    def read(self) -> Remains:
        """Whole lines only: the process may have died in the middle of one. The learner's code can write here too, and
        what is not ours is passed over."""
        finished: list[CheckResult] = []
        running: Begun | None = None
        for line in _read(self.path).split(b"\n")[:-1]:
            try:
                event = msgspec.json.decode(line, type=Begun | Ended)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                continue
            if isinstance(event, Begun):
                running = event
            else:
                finished.append(event.result)
        return Remains(tuple(finished), running)

    def was_traced(self) -> bool:
        """Whether its time was (nearly) over."""
        return _read(self.trace_file()) != b""

    def stuck_line(self, answer: Path) -> int | None:
        """The line of the learner's file at which a process stood when its time was over."""
        return stuck_line(_read(self.trace_file()).decode("utf-8", "replace"), answer)


def stuck_line(trace: str, answer: Path) -> int | None:
    """The innermost line of the learner's file in a stack as faulthandler writes it."""
    for found in FRAME.finditer(trace):
        if found["file"] == str(answer):
            return int(found["line"])
    return None


def _read(path: Path) -> bytes:
    """Nothing where the file is missing, or where the learner's code made something else of it."""
    try:
        return read_regular(path, LARGEST_BYTES)
    except OSError:
        return b""

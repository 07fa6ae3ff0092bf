"""The learner's progress: one small readable JSON file in their folder, never lost.

Written whole and then put in place of the old one, under a lock, after reading what is there: two terminals add to
each other, and a crash leaves the old file or the new one. A file that was cut short or edited into something else is
kept beside it, and what can still be read of it is taken over. A disk that is full or a folder that is read-only costs
a sentence; the marks are kept in memory and written as soon as that works again.
"""

import contextlib
import json
import re
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timezone
from pathlib import Path

import msgspec

from torchstone.errors import UserError
from torchstone.files import read_regular, try_lock, write_whole
from torchstone.learn.verdicts import MARKS, Mark

FILE = "torchstone-learn.json"
FOLDER = ".torchstone"
LAST_GOOD = "progress.json"
"""In that folder: the file as it was written last, for when something else writes into it."""
LARGEST_BYTES = 8 << 20
SCHEMA = "torchstone-learn/1"
FAMILY = "torchstone-learn/"
LOCK_WAIT_S = 5.0
LOCK_POLL_S = 0.02


class Standing(msgspec.Struct, frozen=True, omit_defaults=True):
    """How far one exercise has come: the day on which each mark was earned, and the hints seen."""

    solved: str | None = None
    lean: str | None = None
    fast: str | None = None
    hints: int = 0

    def has(self, mark: Mark) -> bool:
        return getattr(self, mark) is not None


class State(msgspec.Struct, frozen=True):
    """The file; exercises by name, those of other versions of torchstone too."""

    schema: str = SCHEMA
    exercises: dict[str, Standing] = {}


Change = Callable[[State], State]


class Progress:
    """The state file of one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / FILE
        self._last_good = folder / FOLDER / LAST_GOOD
        self.trouble: str | None = None
        """What went wrong with the file last time, in a sentence for the learner."""
        self._unsaved: list[Change] = []

    def read(self) -> State:
        """What is on disk, and what could not be written yet."""
        state = self._load()
        for change in self._unsaved:
            state = change(state)
        return state

    def standing(self, name: str) -> Standing:
        return self.read().exercises.get(name, Standing())

    def add(self, names: Iterable[str]) -> None:
        """Make these exercises known, so that a missing file means that it was deleted."""
        new = list(names)
        self._update(lambda state: _with(state, {name: state.exercises.get(name, Standing()) for name in new}))

    def earn(self, name: str, marks: Iterable[Mark]) -> None:
        """Keep the marks of a verdict; a mark that was earned once stays."""
        today = datetime.now(timezone.utc).date().isoformat()
        earned = tuple(marks)
        before = self.standing(name)
        if all(before.has(mark) for mark in earned):
            return

        def change(state: State) -> State:
            old = state.exercises.get(name, Standing())
            fresh = {mark: today for mark in earned if not old.has(mark)}
            return _with(state, {name: msgspec.structs.replace(old, **fresh)})

        self._update(change)

    def see_hint(self, name: str, count: int) -> None:
        def change(state: State) -> State:
            old = state.exercises.get(name, Standing())
            return _with(state, {name: msgspec.structs.replace(old, hints=max(old.hints, count))})

        self._update(change)

    def forget(self, name: str) -> None:
        """Start an exercise anew."""
        self._update(lambda state: _with(state, {name: Standing()}))

    def _update(self, change: Change) -> None:
        self._unsaved.append(change)
        try:
            with _locked(self.folder / FOLDER):
                content = _encode(self.read())
                write_whole(self.path, content)
                write_whole(self._last_good, content)
        except OSError as error:
            self.trouble = f"your progress could not be saved yet: {error.strerror or error} ({self.path})"
        else:
            self._unsaved.clear()

    def _load(self) -> State:
        try:
            content = read_regular(self.path, LARGEST_BYTES)
        except FileNotFoundError:
            return State()
        except OSError as error:
            self.trouble = f"your progress could not be read: {error.strerror or error} ({self.path})"
            return State()
        try:
            state = msgspec.json.decode(content, type=State)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return self._salvage(content)
        if state.schema != SCHEMA:
            _refuse(state.schema, self.path)
        return state

    def _salvage(self, content: bytes) -> State:
        """Keep a damaged file beside, and go on from the last good copy and what can still be read in the file."""
        salvaged = salvage(content)
        state = _merge(self._read_last_good(), salvaged)
        backup = self.path.with_name(f"{FILE}.damaged-{int(time.time())}")
        with contextlib.suppress(OSError):
            write_whole(backup, content)
            write_whole(self.path, _encode(state))
        self.trouble = (
            f"{FILE} was damaged: {len(salvaged.exercises)} exercises could be read from it, {len(state.exercises)} "
            f"with the last good copy; the damaged file is kept as {backup.name}"
        )
        return state

    def _read_last_good(self) -> State:
        try:
            return msgspec.json.decode(read_regular(self._last_good, LARGEST_BYTES), type=State)
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return State()


def salvage(content: bytes) -> State:
    """The standings that can be read in the remains of a state file."""
    text = content.decode("utf-8", "replace")
    found: dict[str, Standing] = {}
    decoder = json.JSONDecoder()
    for place in re.finditer(r'"(\w+)"\s*:\s*(?=\{)', text):
        with contextlib.suppress(ValueError, msgspec.MsgspecError):
            value, _ = decoder.raw_decode(text, place.end())
            if place.group(1) != "exercises":
                found[place.group(1)] = _read_standing(value)
    return State(exercises=found)


def _read_standing(value: dict[str, object]) -> Standing:
    days = {mark: value[mark] for mark in MARKS if isinstance(value.get(mark), str)}
    hints = value.get("hints")
    return msgspec.convert(days | {"hints": hints if isinstance(hints, int) else 0}, Standing)


def _encode(state: State) -> bytes:
    return msgspec.json.format(msgspec.json.encode(state), indent=1) + b"\n"


def _merge(one: State, other: State) -> State:
    """Every mark that either has: one that was earned once stays."""
    names = {**one.exercises, **other.exercises}
    return State(exercises={name: _join(one.exercises.get(name), other.exercises.get(name)) for name in names})


def _join(one: Standing | None, other: Standing | None) -> Standing:
    first, second = one or Standing(), other or Standing()
    days = {mark: getattr(first, mark) or getattr(second, mark) for mark in MARKS}
    return Standing(**days, hints=max(first.hints, second.hints))


def _with(state: State, standings: dict[str, Standing]) -> State:
    return msgspec.structs.replace(state, exercises=state.exercises | standings)


def _refuse(schema: str, path: Path) -> None:
    if schema.startswith(FAMILY):
        raise UserError(f"{path} was written by a newer torchstone ({schema})", "upgrade: pip install -U torchstone")
    raise UserError(f"{path} is not a progress file of torchstone", "move it away, or choose another folder")


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """One writer at a time. After some seconds it goes on without: a stuck terminal must not stop another."""
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("a+b") as file:
        deadline = time.monotonic() + LOCK_WAIT_S
        while not try_lock(file.fileno()) and time.monotonic() < deadline:
            time.sleep(LOCK_POLL_S)
        yield

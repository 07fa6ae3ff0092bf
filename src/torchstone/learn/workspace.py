"""The learner's folder: one `.py` and one `.md` for each exercise, in a folder for each chapter.

    DIR/README.md  torchstone-learn.json  01_tensors/02_views.py  01_tensors/02_views.md
    DIR/.torchstone/   backups of files that were reset, pictures, grades for the report

All paths are relative to DIR, so the folder can move.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from torchstone.errors import UserError
from torchstone.files import write_whole
from torchstone.learn.catalog import Exercise, find_exercises
from torchstone.learn.progress import FILE, FOLDER, Progress, State
from torchstone.learn.verdicts import MARKS, Verdict
from torchstone.records import Finding, Scalar, encode

SETTLE_S = 0.25
"""An editor that saves by renaming leaves the file missing for a moment, another one leaves it empty."""
SETTLE_POLL_S = 0.01
README = """# The ladder

Exercises in PyTorch, from the first tensor to several processes. Solve them in your own editor:

1. `torchstone learn` in this folder watches the next exercise and grades it whenever you save.
2. Read the task (`.md`), edit the file beside it (`.py`), save, and look at the verdict.
3. Keys: `n` next, `h` hint, `t` task, `l` list, `c` check all, `x` reset, `s` solution, `q` quit.

*solved* is what you need to move on; *lean* and *fast* are stars. Start anywhere, skip, come back. Your progress is in
`{file}`, which you may commit; `.torchstone/` holds backups and pictures.
"""


@dataclass(frozen=True)
class Source:
    """The learner's file as it was read."""

    content: bytes
    stamp: tuple[int, int, int]
    """Changes whenever the file is saved, by writing or by renaming."""


class Workspace:
    """A folder made by `learn init`."""

    def __init__(self, folder: Path, exercises: tuple[Exercise, ...] | None = None) -> None:
        self.folder = folder.resolve()
        self.exercises = find_exercises() if exercises is None else exercises
        self.progress = Progress(self.folder)

    def file(self, exercise: Exercise) -> Path:
        return (self.folder / exercise.stem).with_suffix(".py")

    def task_file(self, exercise: Exercise) -> Path:
        return (self.folder / exercise.stem).with_suffix(".md")

    def next_unsolved(self) -> Exercise | None:
        """The first exercise without *solved*, electives last; None when all are solved."""
        state = self.progress.read()
        open_ones = [exercise for exercise in self.exercises if not is_solved(state, exercise)]
        return min(open_ones, key=lambda exercise: exercise.elective, default=None)

    def add_new(self) -> tuple[Exercise, ...]:
        """Copy the starters that this folder has never had: all of them at first, later those of a new version."""
        known = self.progress.read().exercises
        new = tuple(exercise for exercise in self.exercises if exercise.name not in known)
        for exercise in new:
            self._copy(exercise)
        if new:
            self.progress.add(exercise.name for exercise in new)
        return new

    def add_new_quietly(self) -> tuple[Exercise, ...]:
        """The same on the way to something else: a folder that can't be written is no reason to stop."""
        try:
            return self.add_new()
        except OSError as error:
            self.progress.trouble = f"new exercises could not be copied: {error.strerror or error} ({self.folder})"
            return ()

    def _copy(self, exercise: Exercise) -> None:
        path = self.file(exercise)
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            write_whole(path, exercise.starter.read_bytes())
        write_whole(self.task_file(exercise), _task_text(exercise).encode())

    def read(self, exercise: Exercise) -> Source:
        """The learner's file; one that is only just being saved, missing or empty, gets a moment to appear."""
        path = self.file(exercise)
        deadline = time.monotonic() + SETTLE_S
        while True:
            try:
                source = Source(path.read_bytes(), self.stamp(exercise) or (0, 0, 0))
            except FileNotFoundError:
                if time.monotonic() > deadline:
                    break
            except OSError as error:
                raise UserError(f"{path} cannot be read: {error.strerror}", "see its permissions") from None
            else:
                if source.content or time.monotonic() > deadline:
                    return source
            time.sleep(SETTLE_POLL_S)
        raise UserError(f"{path} is gone", f"`torchstone learn reset {exercise.name}` brings the starter back")

    def stamp(self, exercise: Exercise) -> tuple[int, int, int] | None:
        try:
            status = self.file(exercise).stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size, status.st_ino

    def reset(self, exercise: Exercise) -> Path | None:
        """Put the starter back; what was there is kept, and where is returned."""
        path = self.file(exercise)
        backup = None
        with _writing(path):
            if path.exists():
                backup = self._backup_path(exercise)
                backup.parent.mkdir(parents=True, exist_ok=True)
                write_whole(backup, path.read_bytes())
                path.unlink()
            self._copy(exercise)
        self.progress.forget(exercise.name)
        return backup

    def _backup_path(self, exercise: Exercise) -> Path:
        moment = time.strftime("%Y%m%d-%H%M%S")
        return self.folder / FOLDER / "backups" / f"{exercise.name}-{moment}.py"

    def keep(self, verdict: Verdict) -> tuple[Path, ...]:
        """Remember what a verdict earned, and its pictures; says where those are. Never raises for a full disk."""
        self.progress.earn(verdict.exercise, verdict.earned)
        kept = []
        try:
            for picture in verdict.pictures:
                path = self.folder / FOLDER / "pictures" / f"{verdict.exercise}-{Path(picture.name).name}.png"
                path.parent.mkdir(parents=True, exist_ok=True)
                write_whole(path, picture.png)
                kept.append(path)
            self._write_grades()
        except OSError as error:
            self.progress.trouble = f"not everything could be saved: {error.strerror or error} ({self.folder})"
        return tuple(kept)

    def _write_grades(self) -> None:
        """The standing of each exercise as a Finding, one a line: what a report reads."""
        state = self.progress.read()
        lines = [encode(_finding(exercise, state)) for exercise in self.exercises]
        path, content = self.folder / FOLDER / "grades.jsonl", b"\n".join(lines) + b"\n"
        if not path.exists() or path.read_bytes() != content:  # a verdict must not wait for the disk without need
            write_whole(path, content)


def init(folder: Path, exercises: tuple[Exercise, ...] | None = None) -> tuple[Workspace, tuple[Exercise, ...]]:
    """Make a folder of exercises, or complete one; nothing that is there is overwritten."""
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is a file", "name a folder that is new or empty")
    with _writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        workspace = Workspace(folder, exercises)
        if not (folder / "README.md").exists():
            write_whole(folder / "README.md", README.format(file=FILE).encode())
        new = workspace.add_new()
    if workspace.progress.trouble:
        raise UserError(workspace.progress.trouble, "make room, or choose a folder that you may write to")
    return workspace, new


def find_workspace(start: Path, exercises: tuple[Exercise, ...] | None = None) -> Workspace:
    """The folder of exercises that `start` is, or is inside of."""
    for folder in (start, *_resolve(start).parents):
        if (folder / FILE).exists() or _looks_like_one(folder):
            return Workspace(folder, exercises)
    raise UserError(
        f"there are no exercises in {_resolve(start)} or above it",
        "`torchstone learn init DIR` makes a folder of them; then `cd DIR` and `torchstone learn`",
    )


def _resolve(folder: Path) -> Path:
    try:
        return folder.resolve()
    except (OSError, RuntimeError):  # links in a circle; the latter before Python 3.13
        raise UserError(f"{folder} leads nowhere: its links go in a circle", "name another folder with --dir") from None


def is_solved(state: State, exercise: Exercise) -> bool:
    standing = state.exercises.get(exercise.name)
    return standing is not None and standing.has("solved")


def _looks_like_one(folder: Path) -> bool:
    """A folder whose progress file was deleted still has its exercises."""
    return (folder / FOLDER).is_dir() and any(folder.glob("[0-9][0-9]_*/[0-9][0-9]_*.py"))


def _task_text(exercise: Exercise) -> str:
    links = "\n".join(f"- <{link}>" for link in exercise.facts.get("links", "").split())
    return (
        f"{exercise.task}\n\n---\nDifficulty {exercise.difficulty} of 5, about {exercise.minutes} minutes.\n\n{links}\n"
    )


def _finding(exercise: Exercise, state: State) -> Finding:
    standing = state.exercises.get(exercise.name)
    earned = [mark for mark in MARKS if standing is not None and standing.has(mark)]
    days: dict[str, Scalar] = {mark: getattr(standing, mark) for mark in earned} | {"minutes": exercise.minutes}
    return Finding(
        kind="grade",
        subject=str(exercise.stem),
        verdict="+".join(earned) or "open",
        tier="measured",
        evidence=f"{len(earned)} of {len(exercise.marks)} marks: {', '.join(exercise.marks)}",
        facts=days,
    )


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Turn the system's refusal to write into a sentence."""
    try:
        yield
    except OSError as error:
        raise UserError(
            f"{error.filename or path} cannot be written: {error.strerror}",
            "make room, or choose a folder that you may write to",
        ) from None

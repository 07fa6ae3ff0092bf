"""Watch mode: save the file in your own editor, see the verdict; one key does the rest.

One queue takes what happens, keys and saved files alike, and one loop answers. A file counts as saved when its time,
size or identity changed, so an editor that saves by renaming is seen, and the progress file and pictures that we write
ourselves are not.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING, Literal

from torchstone.errors import UserError
from torchstone.learn import keys
from torchstone.learn.catalog import Exercise
from torchstone.learn.grader import Grader
from torchstone.learn.screen import make_console, print_bar, print_list, print_verdict
from torchstone.learn.sweep import begun
from torchstone.learn.verdicts import Verdict
from torchstone.learn.workspace import Workspace

if TYPE_CHECKING:
    from rich.console import Console

WATCH_STEP_MS = 5
"""How long the file system must be quiet before a change is told: editors write in bursts."""
WATCH_DEBOUNCE_MS = 50
CHANGES_WHILE_GRADING = 3
"""A file that changed during so many gradings in a row writes to itself: stop grading until the learner's next key."""
KEYS = "n next · h hint · t task · l list · c check all · x reset · s solution · q quit"
LIST_MARGIN = 8
"""Lines of the list's screen that are not exercises."""


@dataclass(frozen=True)
class Event:
    """A key, a change in the folder, or the end of the folder."""

    kind: Literal["key", "changed", "gone"]
    key: str = ""


def watch(workspace: Workspace, device: str | None) -> None:
    """Run until the learner quits."""
    events: SimpleQueue[Event] = SimpleQueue()
    with Grader(device) as grader, keys.one_key_at_a_time() as read_key:
        grader.check_device()
        exercise = workspace.next_unsolved() or workspace.exercises[0]
        grader.start(exercise)
        threading.Thread(target=_follow_keys, args=(read_key, events), daemon=True).start()
        threading.Thread(target=_follow_folder, args=(workspace, events), daemon=True).start()
        Watcher(workspace, grader, make_console(), events).run(exercise)


def _follow_keys(read_key: Callable[[], str], events: SimpleQueue[Event]) -> None:
    while True:
        key = read_key()
        events.put(Event("key", key))
        if key == keys.END:
            return


def _follow_folder(workspace: Workspace, events: SimpleQueue[Event]) -> None:
    import watchfiles

    try:
        for _ in watchfiles.watch(workspace.folder, step=WATCH_STEP_MS, debounce=WATCH_DEBOUNCE_MS, watch_filter=None):
            events.put(Event("changed"))
            if not workspace.folder.is_dir():
                break
    except (OSError, RuntimeError):  # the folder went away, or the system allows no more watches
        pass
    events.put(Event("gone"))


class Watcher:
    """The loop of watch mode, and what it shows."""

    def __init__(self, workspace: Workspace, grader: Grader, console: "Console", events: SimpleQueue[Event]) -> None:
        self.workspace = workspace
        self.grader = grader
        self.console = console
        self.events = events
        self.graded: tuple[int, int, int] | None = None
        """The stamp of the file that the last verdict is about."""
        self.changed_while_grading = 0

    def run(self, exercise: Exercise | None) -> None:
        """Grade, then wait for something to happen, until the learner quits."""
        while exercise is not None:
            self.grade(exercise)
            exercise = self._wait(exercise)

    def _wait(self, exercise: Exercise) -> Exercise | None:
        """The exercise to grade next; None to quit."""
        while True:
            event = self.events.get()
            if event.kind == "gone" and not self.workspace.folder.is_dir():
                raise UserError(f"the folder {self.workspace.folder} is gone", "start again where it is now")
            if event.kind == "changed" and self._is_saved(exercise):
                return exercise
            if event.kind == "key":
                self.changed_while_grading = 0
                chosen = self._press(event.key, exercise)
                if chosen != "stay":
                    return chosen

    def _is_saved(self, exercise: Exercise) -> bool:
        if self.changed_while_grading >= CHANGES_WHILE_GRADING:
            return False
        return self.workspace.stamp(exercise) not in (self.graded, None)

    def grade(self, exercise: Exercise) -> None:
        """Show a verdict on the file as it is now."""
        try:
            source = self.workspace.read(exercise)
        except UserError as error:
            self.graded = None
            self._show_message(f"{error.message}: {error.hint}", exercise)
            return
        self.graded = source.stamp
        self.console.print("grading …", style="bright_black", end="\r")
        verdict = self.grader.grade(exercise, self.workspace.file(exercise), source.content)
        pictures = self.workspace.keep(verdict)
        changed = self.workspace.stamp(exercise) != source.stamp
        self.changed_while_grading = self.changed_while_grading + 1 if changed else 0
        self._show_verdict(exercise, verdict)
        for path in pictures:
            self.console.print(f"picture  {path}")
        if self.changed_while_grading >= CHANGES_WHILE_GRADING:
            self.console.print(
                "! the file changes each time it runs; press a key and save to grade again", style="yellow"
            )
        self._show_keys()

    def _show_verdict(self, exercise: Exercise, verdict: Verdict) -> None:
        # Composed first and written at once: the screen must not flicker.
        with self.console.capture() as captured:
            print_verdict(self.console, self.workspace, exercise, verdict)
            if verdict.solved:
                self.console.print(_praise(verdict), style="bold green")
        self._clear()
        self.console.out(captured.get(), end="", highlight=False)

    def _show_keys(self) -> None:
        self.console.print(KEYS, style="bright_black")

    def _show_message(self, text: str, exercise: Exercise) -> None:
        self._clear()
        self.console.print(text)
        self.console.print()
        print_bar(self.console, self.workspace.progress.read(), self.workspace.exercises)
        self.console.print(f"file  {self.workspace.file(exercise)}")
        self._show_keys()

    def _clear(self) -> None:
        from rich.control import Control
        from rich.segment import ControlType

        self.console.control(Control(ControlType.HOME, ControlType.CLEAR))

    def _press(self, key: str, exercise: Exercise) -> "Exercise | Literal['stay'] | None":
        if key in ("q", keys.END):
            return None
        if key == "n":
            return self._next(exercise)
        if key == "l":
            return self._choose(exercise)
        if key == "x":
            return self._reset(exercise)
        shows = {"h": self._hint, "s": self._solution, "t": self._task, "c": self._check_all}
        if key in shows:
            shows[key](exercise)
            return "stay"
        return exercise if key in ("r", keys.ENTER) else "stay"

    def _next(self, exercise: Exercise) -> "Exercise | Literal['stay'] | None":
        if not self.workspace.progress.standing(exercise.name).has("solved"):
            self._show_message(f"{exercise.name} is not solved yet. (l goes anywhere else.)", exercise)
            return "stay"
        following = self.workspace.exercises[self.workspace.exercises.index(exercise) + 1 :]
        state = self.workspace.progress.read()
        unsolved = [one for one in following if one.name not in state.exercises or not state.exercises[one.name].solved]
        chosen = next(iter(unsolved), None) or self.workspace.next_unsolved()
        if chosen is None:
            self._show_message("All exercises are solved. Well climbed.", exercise)
            return "stay"
        return chosen

    def _hint(self, exercise: Exercise) -> None:
        hints = exercise.hints
        count = min(self.workspace.progress.standing(exercise.name).hints + 1, len(hints))
        self.workspace.progress.see_hint(exercise.name, count)
        parts = [f"hint {number} of {len(hints)}\n{text}" for number, text in enumerate(hints[:count], 1)]
        self._show_message("\n\n".join(parts), exercise)

    def _task(self, exercise: Exercise) -> None:
        from rich.markdown import Markdown

        self._clear()
        self.console.print(Markdown(exercise.task))
        self.console.print()
        self._show_keys()

    def _solution(self, exercise: Exercise) -> None:
        solved = self.workspace.progress.standing(exercise.name).has("solved")
        if not solved and not self._confirm(f"{exercise.name} is not solved yet. See its solution all the same?"):
            self._show_message("Not yet, then.", exercise)
            return
        self._show_message(exercise.solution.read_text(encoding="utf-8"), exercise)

    def _reset(self, exercise: Exercise) -> "Exercise | Literal['stay']":
        if not self._confirm(f"Put the starter of {exercise.name} back? (Your file is kept in .torchstone/backups.)"):
            self._show_message("Nothing was changed.", exercise)
            return "stay"
        try:
            self.workspace.reset(exercise)
        except UserError as error:
            self._show_message(f"{error.message}: {error.hint}", exercise)
            return "stay"
        return exercise

    def _check_all(self, exercise: Exercise) -> None:
        self._clear()
        members = begun(self.workspace)
        for number, one in enumerate(members, 1):
            source = self.workspace.read(one)
            verdict = self.grader.grade(one, self.workspace.file(one), source.content)
            self.workspace.keep(verdict)
            sign, style = ("✓", "green") if verdict.solved else ("✗", "red")
            marks = ", ".join(verdict.earned) or "not yet"
            self.console.print(f"{sign} {number}/{len(members)} {one.name}: {marks}", style=style)
        self.console.print()
        print_bar(self.console, self.workspace.progress.read(), self.workspace.exercises)
        self._show_keys()

    def _confirm(self, question: str) -> bool:
        self._clear()
        self.console.print(f"{question}  y / n")
        return self._next_key() == "y"

    def _next_key(self) -> str:
        while True:
            event = self.events.get()
            if event.kind == "key":
                return event.key

    def _choose(self, exercise: Exercise) -> Exercise:
        """The list: arrows or j and k move, Enter goes there, any other key goes back."""
        members = self.workspace.exercises
        position = members.index(exercise)
        while True:
            self._clear()
            most = max(5, self.console.height - LIST_MARGIN)
            print_list(self.console, self.workspace.progress.read(), members, members[position], most)
            self.console.print()
            self.console.print("↑ ↓ move · Enter go there · any other key: back", style="bright_black")
            key = self._next_key()
            if key in (keys.UP, "k", keys.DOWN, "j"):
                position = (position + (1 if key in (keys.DOWN, "j") else -1)) % len(members)
            else:
                return members[position] if key == keys.ENTER else exercise


def _praise(verdict: Verdict) -> str:
    missing = [mark for mark in verdict.offered if mark not in verdict.earned]
    return (
        f"Solved. n goes on, or go for {' and '.join(missing)} first." if missing else "Solved, all marks. n goes on."
    )

"""Watch mode: read the task, save the file in your own editor, see the verdict; one key does the rest.

One queue takes what happens (keys, saved files, verdicts) and one loop answers. Grading runs beside it, so every key
works meanwhile and Escape ends it. An untouched starter is not graded: its task is shown until the file changes. A file
counts as saved when its time, size or identity changed, so an editor that saves by renaming is seen, and the progress
file and pictures that we write ourselves are not.
"""

import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Literal

from torchstone.errors import UserError
from torchstone.learn import keys
from torchstone.learn.catalog import Exercise
from torchstone.learn.events import Event, Grading, follow
from torchstone.learn.grader import Grader
from torchstone.learn.paging import Page
from torchstone.learn.screen import (
    make_console,
    praise,
    print_bar,
    print_hints,
    print_list,
    print_output,
    print_task,
    print_verdict,
)
from torchstone.learn.sweep import begun
from torchstone.learn.verdicts import Verdict
from torchstone.learn.workspace import Workspace

if TYPE_CHECKING:
    from rich.console import Console

SWITCH_S = 0.0002
"""How long one thread may keep the others from running, 5 ms unless told: the one that draws, those that grade."""
CHANGES_WHILE_GRADING = 3
"""A file that changed during so many gradings in a row writes to itself: stop grading until the learner's next key."""
KEYS = "n next · h hint · t task · r replay · l list · c check all · x reset · s solution · q quit"
NARROW_KEYS = "n next · h hint · t task · r replay · l list · q quit"
TINY_KEYS = "n h t r l c x s · q quit"
BACK_KEYS = "q back · ↑ ↓ scroll · n next · h hint · t task · l list"
GRADING_KEYS = "Esc stops it · t task · h hint · l list"
FIRST = "torch is being loaded, some seconds, once"
LIST_KEYS = "↑ ↓ move · Enter go there · q back"
POINTER = "›"
Screen = Literal["main", "side"]


def watch(workspace: Workspace, device: str | None) -> None:
    """Run until the learner quits."""
    sys.setswitchinterval(SWITCH_S)
    with Grader(device) as grader, keys.one_key_at_a_time() as keyboard:
        exercise = workspace.next_unsolved() or workspace.exercises[0]
        grader.start(exercise)
        grader.check_device()
        Watcher(workspace, grader, make_console(), follow(workspace, keyboard), keyboard).run(exercise)


class Watcher:
    """The loop of watch mode, and what it shows."""

    def __init__(
        self,
        workspace: Workspace,
        grader: Grader,
        console: "Console",
        events: SimpleQueue[Event],
        keyboard: keys.Keyboard,
    ) -> None:
        self.workspace = workspace
        self.grader = grader
        self.events = events
        self.keyboard = keyboard
        self.page = Page(console)
        self.exercise = workspace.exercises[0]
        self.grading: Grading | None = None
        self.stopping: threading.Thread | None = None
        """Ends a grading that nobody waits for any more."""
        self.verdict: Verdict | None = None
        """The last one of this exercise; None while its file is the starter still."""
        self.pictures: tuple[Path, ...] = ()
        self.graded: tuple[int, int, int] | None = None
        """The stamp of the file that the last verdict is about."""
        self.screen: Screen = "main"
        self.changed_while_grading = 0
        self.has_graded = False

    def run(self, exercise: Exercise) -> None:
        """Show the exercise, then answer what happens, until the learner quits."""
        self.go_to(exercise)
        try:
            while self._answer(self.events.get()):
                pass
        finally:
            self._stop_grading()

    def go_to(self, exercise: Exercise) -> None:
        """Another exercise: its task while nobody has touched it, else its verdict."""
        self._stop_grading()
        self.exercise, self.verdict, self.graded, self.pictures = exercise, None, None, ()
        self.changed_while_grading = 0
        if self._is_untouched():
            self.graded = self.workspace.stamp(exercise)
            self.grader.start(exercise)
            self.show_main()
        else:
            self.grade()

    def _is_untouched(self) -> bool:
        try:
            return self.workspace.read(self.exercise).content == self.exercise.starter.read_bytes()
        except UserError:
            return False

    def _answer(self, event: Event) -> bool:
        """Whether to go on."""
        if event.kind == "gone" and not self.workspace.folder.is_dir():
            raise UserError(f"the folder {self.workspace.folder} is gone", "start again where it is now")
        if event.kind == "changed" and self._is_saved():
            self.grade()
        if event.kind == "graded" and event.grading is self.grading and event.grading is not None:
            self._take(event.grading)
        if event.kind == "key":
            self.changed_while_grading = 0
            return self._press(event.key)
        return True

    def _is_saved(self) -> bool:
        if self.changed_while_grading >= CHANGES_WHILE_GRADING:
            return False
        return self.workspace.stamp(self.exercise) not in (self.graded, None)

    def grade(self) -> None:
        """Ask for a verdict on the file as it is now; one that is on its way is out of date."""
        changed = self._stop_grading()
        self.changed_while_grading = self.changed_while_grading + 1 if changed else self.changed_while_grading
        try:
            source = self.workspace.read(self.exercise)
        except UserError as error:
            self.graded = None
            self._show_message(f"{error.message}: {error.hint}")
            return
        self.graded = source.stamp
        exercise, path, before = self.exercise, self.workspace.file(self.exercise), self.stopping

        def ask() -> Verdict:
            if before is not None:
                before.join()  # the grader does one thing at a time
            return self.grader.grade(exercise, path, source.content)

        self.grading = Grading(source, ask, self.events, partial(self.grader.start, exercise))
        if self.screen == "main":
            self.show_main()
        else:  # whoever reads a hint sees that the file was taken, too
            self.page.set_foot(self._print_foot)
            self.page.show()

    def _stop_grading(self) -> bool:
        """End a grading that is on its way; whether there was one."""
        grading, self.grading = self.grading, None
        if grading is None:
            return False
        self.stopping = threading.Thread(target=grading.stop, args=(self.grader,), daemon=True)
        self.stopping.start()
        return True

    def _wait_until_stopped(self) -> None:
        if self.stopping is not None:
            self.stopping.join()

    def _take(self, grading: Grading) -> None:
        self.grading, self.has_graded = None, True
        if grading.error is not None:
            raise grading.error
        if grading.verdict is None:
            return
        self.verdict = grading.verdict
        self.pictures = self.workspace.keep(self.verdict)
        changed = self.workspace.stamp(self.exercise) != grading.source.stamp
        self.changed_while_grading = self.changed_while_grading + 1 if changed else 0
        self.screen = "main"
        self.show_main()

    def show_main(self) -> None:
        """The verdict, or the task while there is none."""
        self.screen = "main"
        self.page.set_foot(self._print_foot)
        verdict = self.verdict
        # Where not all of it fits, what the code printed is scrolled away, and the verdict is not.
        printed = [] if verdict is None else self.page.render(lambda console: print_output(console, verdict))
        self.page.fill(self._print_main, len(printed) + bool(printed))
        self.page.show()

    def _print_main(self, console: "Console") -> None:
        if self.verdict is None:
            print_task(console, self.exercise)
            return
        print_verdict(console, self.workspace, self.exercise, self.verdict)
        for path in self.pictures:
            console.print(f"picture  {path}")
        if self.verdict.solved:
            console.print(praise(self.verdict), style="bold green")
        if self.changed_while_grading >= CHANGES_WHILE_GRADING:
            console.print("! the file changes each time it runs; press a key and save to grade again", style="yellow")

    def _print_foot(self, console: "Console") -> None:
        if self.grading is not None:
            note = "" if self.has_graded else f" ({FIRST})"
            console.print(f"grading …{note}", style="cyan", overflow="ellipsis", no_wrap=True)
            leaves = "quit" if self.screen == "main" else "back"
            console.print(f"{GRADING_KEYS} · q {leaves}", style="bright_black", overflow="ellipsis", no_wrap=True)
            return
        if self.verdict is None and self.screen == "main":
            path = self.workspace.file(self.exercise)
            console.print(f"edit and save  {path}", style="cyan", overflow="ellipsis", no_wrap=True)
        known = (KEYS, NARROW_KEYS, TINY_KEYS)
        fitting = next((one for one in known if len(one) <= console.width), TINY_KEYS)
        shown = fitting if self.screen == "main" else BACK_KEYS
        console.print(shown, style="bright_black", overflow="ellipsis", no_wrap=True)

    def _show_side(self, write: "Callable[[Console], None]", top: int = 0) -> None:
        """Something beside the verdict, which `q` leads back from."""
        self.screen = "side"
        self.page.set_foot(self._print_foot)
        self.page.fill(write, top)
        self.page.show()

    def _show_message(self, text: str) -> None:
        def write(console: "Console") -> None:
            console.print(text)
            console.print()
            print_bar(console, self.workspace.progress.read(), self.workspace.exercises)

        self._show_side(write)

    def _press(self, key: str) -> bool:
        """Whether to go on."""
        if key == keys.END or (key == "q" and self.screen == "main"):
            return False
        if key in ("q", keys.ESCAPE):
            self._leave_side_or_stop(key)
        elif key in SCROLLS:
            SCROLLS[key](self.page)
            self.page.show()
        elif key in (keys.ENTER, "g"):
            self.screen = "main"
            self.grade()
        elif key in ACTIONS:
            ACTIONS[key](self)
        return True

    def _leave_side_or_stop(self, key: str) -> None:
        if key == keys.ESCAPE and self._stop_grading():
            self._show_message("Grading was stopped. Enter grades again.")
        elif self.screen == "side":
            self.show_main()

    def next(self) -> None:
        if not self.workspace.progress.standing(self.exercise.name).has("solved"):
            self._show_message(f"{self.exercise.name} is not solved yet. (l goes anywhere else.)")
            return
        following = self.workspace.exercises[self.workspace.exercises.index(self.exercise) + 1 :]
        state = self.workspace.progress.read()
        unsolved = [one for one in following if one.name not in state.exercises or not state.exercises[one.name].solved]
        chosen = next(iter(unsolved), None) or self.workspace.next_unsolved()
        if chosen is None:
            self._show_message("All exercises are solved. Well climbed.")
        else:
            self.go_to(chosen)

    def hint(self) -> None:
        exercise = self.exercise
        count = min(self.workspace.progress.standing(exercise.name).hints + 1, len(exercise.hints))
        self.workspace.progress.see_hint(exercise.name, count)
        self._show_side(lambda console: print_hints(console, exercise, count))
        self.page.scroll(len(self.page.lines))
        self.page.show()

    def task(self) -> None:
        self._show_side(lambda console: print_task(console, self.exercise))

    def solution(self) -> None:
        solved = self.workspace.progress.standing(self.exercise.name).has("solved")
        if not solved and not self._confirm(f"{self.exercise.name} is not solved yet. See its solution all the same?"):
            self._show_message("Not yet, then.")
            return
        text = self.exercise.solution.read_text(encoding="utf-8")
        self._show_side(lambda console: console.print(text))

    def reset(self) -> None:
        name = self.exercise.name
        if not self._confirm(f"Put the starter of {name} back? (Your file is kept in .torchstone/backups.)"):
            self._show_message("Nothing was changed.")
            return
        try:
            self.workspace.reset(self.exercise)
        except UserError as error:
            self._show_message(f"{error.message}: {error.hint}")
            return
        self.go_to(self.exercise)

    def replay(self) -> None:
        """The failing case once more, in the learner's own debugger."""
        if self.verdict is None or not self.verdict.failures:
            self._show_message("There is no failing case to replay.")
            return
        self._stop_grading()
        self._wait_until_stopped()
        command = [sys.executable, "-m", "torchstone", "learn", "debug", self.exercise.name]
        command += ["--dir", str(self.workspace.folder), "--seed", str(self.verdict.seed)]
        self.page.fill(lambda console: console.print("loading torch …", style="cyan"))
        self.page.foot = []
        self.page.show()
        with self.keyboard.lent():
            subprocess.run([*command, "--device", self.verdict.device], check=False)
            input("Enter goes back ")
        self.show_main()

    def check_all(self) -> None:
        self._stop_grading()
        self._wait_until_stopped()
        lines: list[str] = []
        members = begun(self.workspace)
        for number, one in enumerate(members, 1):
            source = self.workspace.read(one)
            verdict = self.grader.grade(one, self.workspace.file(one), source.content)
            self.workspace.keep(verdict)
            marks = ", ".join(verdict.earned) or "not yet"
            lines.append(f"{'✓' if verdict.solved else '✗'} {number}/{len(members)} {one.name}: {marks}")
            self._show_message("\n".join(lines))
        if not members:
            self._show_message("Nothing to check: no file has changed since it was a starter.")

    def _confirm(self, question: str) -> bool:
        self._show_side(lambda console: console.print(f"{question}  y / n"))
        return self._next_key() == "y"

    def _next_key(self) -> str:
        while True:
            event = self.events.get()
            if event.kind == "key":
                return event.key
            if event.kind == "graded" and event.grading is self.grading and event.grading is not None:
                self._take(event.grading)

    def choose(self) -> None:
        """The list: arrows or j and k move, Enter goes there, any other key goes back."""
        members = self.workspace.exercises
        position = members.index(self.exercise)
        while True:
            chosen = members[position]
            self._show_list(chosen)
            key = self._next_key()
            if key in (keys.UP, "k", keys.DOWN, "j"):
                position = (position + (1 if key in (keys.DOWN, "j") else -1)) % len(members)
            elif key == keys.ENTER and chosen is not self.exercise:
                self.go_to(chosen)
                return
            else:
                self.show_main()
                return

    def _show_list(self, chosen: Exercise) -> None:
        state, members = self.workspace.progress.read(), self.workspace.exercises
        self.screen = "side"
        self.page.set_foot(
            lambda console: console.print(LIST_KEYS, style="bright_black", overflow="ellipsis", no_wrap=True)
        )
        self.page.fill(lambda console: print_list(console, state, members, chosen))
        line = next((number for number, text in enumerate(self.page.lines) if POINTER in text), 0)
        self.page.scroll(line - self.page.room // 2)
        self.page.show()


SCROLLS: dict[str, Callable[[Page], None]] = {
    keys.UP: lambda page: page.scroll(-1),
    "k": lambda page: page.scroll(-1),
    keys.DOWN: lambda page: page.scroll(1),
    "j": lambda page: page.scroll(1),
    keys.PAGE_UP: lambda page: page.page(-1),
    "b": lambda page: page.page(-1),
    keys.PAGE_DOWN: lambda page: page.page(1),
}
ACTIONS: dict[str, Callable[[Watcher], None]] = {
    "n": Watcher.next,
    "h": Watcher.hint,
    "t": Watcher.task,
    "s": Watcher.solution,
    "x": Watcher.reset,
    "r": Watcher.replay,
    "c": Watcher.check_all,
    "l": Watcher.choose,
}

"""Records docs/learn-session.svg: the first ten minutes with `torchstone learn`, driven through tmux as by a person.

    python docs/record_session.py

Run it after the ladder or the screen has changed; it needs tmux. Wherever the exercises are copied to while it runs,
the picture says ~/ladder.
"""

import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from torchstone.learn.catalog import Exercise, find_exercise, find_exercises

PICTURE = Path(__file__).with_name("learn-session.svg")
COLUMNS, ROWS = 104, 60
WAIT_S = 180
"""For one screen; the first has to start a Python that imports torch."""
SHOWN_FOLDER = "~/ladder"


@dataclass(frozen=True)
class Terminal:
    """A tmux of our own, apart from any that the person has open."""

    socket: str

    def start(self, command: str) -> None:
        self._tmux("new-session", "-d", "-x", str(COLUMNS), "-y", str(ROWS), command)

    def press(self, key: str) -> None:
        self._tmux("send-keys", key)

    def wait_for(self, words: str) -> str:
        """The screen, with its colours, once it shows these words."""
        deadline = time.monotonic() + WAIT_S
        while time.monotonic() < deadline:
            if words in self._tmux("capture-pane", "-p", "-J"):
                time.sleep(0.5)  # the words may be drawn before the last line is
                return self._tmux("capture-pane", "-p", "-e")
            time.sleep(0.1)
        raise TimeoutError(f"{words!r} did not appear:\n{self._tmux('capture-pane', '-p')}")

    def stop(self) -> None:
        self._tmux("kill-server")

    def _tmux(self, *arguments: str) -> str:
        command = ["tmux", "-L", self.socket, "-f", "/dev/null", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def session(terminal: Terminal, ladder: Path) -> Iterator[tuple[str, str]]:
    """What a new learner does in the first ten minutes, and the screen after it."""
    exercises = find_exercises()
    first, second, third = (find_exercise(name, exercises) for name in ("hello_tensor", "photo_facts", "solar_cells"))
    yield "$ torchstone learn", terminal.wait_for("edit and save")
    save(ladder, first, first.folder / "wrong" / "still_a_tensor.py")
    yield "a first answer, saved", terminal.wait_for(".item()")
    terminal.press("h")
    yield "h", terminal.wait_for("hint 1 of 3")
    save(ladder, first, first.solution)
    yield "mended, saved", terminal.wait_for("✓ solved")
    terminal.press("n")
    terminal.wait_for("photo_facts: ")
    save(ladder, second, second.folder / "wrong" / "red_alone.py")
    yield "n, then a first answer to the next one, saved", terminal.wait_for("red light alone")
    save(ladder, second, second.solution)
    terminal.wait_for("✓ solved")
    terminal.press("n")
    yield "mended, saved, and n", terminal.wait_for("solar_cells: ")
    save(ladder, third, third.folder / "wrong" / "no_zero_grad.py")
    yield "a training loop, saved", terminal.wait_for("call zero_grad()")
    save(ladder, third, third.solution)
    yield "mended, saved: the first model that works", terminal.wait_for("✓ solved")
    terminal.press("l")
    yield "l", terminal.wait_for("Enter go there")
    terminal.press("Escape")
    terminal.press("q")


def save(ladder: Path, exercise: Exercise, answer: Path) -> None:
    """As an editor does, without the line that tells authors what a wrong answer is for."""
    lines = answer.read_text(encoding="utf-8").splitlines(keepends=True)
    text = "".join(line for line in lines if not line.startswith("#"))
    (ladder / exercise.chapter / f"{exercise.folder.name}.py").write_text(text, encoding="utf-8")


def draw(screens: list[tuple[str, str]], ladder: Path) -> str:
    console = Console(record=True, width=COLUMNS, file=tempfile.TemporaryFile("w"), force_terminal=True)  # noqa: SIM115
    for title, screen in screens:
        console.print(Rule(title, align="left", style="bright_black"))
        console.print(Text.from_ansi(screen.replace(str(ladder), SHOWN_FOLDER).strip("\n")))
        console.print()
    return console.export_svg(title="torchstone learn")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="torchstone-session-") as folder:
        ladder = Path(folder) / "ladder"
        program = [sys.executable, "-m", "torchstone", "learn"]
        subprocess.run([*program, "init", str(ladder)], check=True, stdout=subprocess.DEVNULL)
        terminal = Terminal(Path(folder).name)
        terminal.start(f"cd {shlex.quote(str(ladder))} && COLORTERM= {shlex.join(program)} --device cpu")
        try:
            screens = list(session(terminal, ladder))
        finally:
            terminal.stop()
        PICTURE.write_text(draw(screens, ladder), encoding="utf-8")


if __name__ == "__main__":
    main()

"""`torchstone learn …` as a person runs it: plain text and JSON, exit codes, and a session with keys in a terminal."""

import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from torchstone.learn import keys
from torchstone.learn.workspace import Workspace

Learn = Callable[..., "subprocess.CompletedProcess[str]"]
KEY_LINE = "s solution · q quit"
BACK_LINE = "t task · l list"
WAIT_S = 60.0


@pytest.fixture
def learn(workspace: Workspace) -> Learn:
    def run(*arguments: str, folder: Path | None = None) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "torchstone", "learn", *arguments]
        cwd = folder or workspace.folder
        return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False, timeout=120)

    return run


def solve(workspace: Workspace, name: str) -> None:
    exercise = next(one for one in workspace.exercises if one.name == name)
    workspace.file(exercise).write_bytes(exercise.solution.read_bytes())


def test_run_says_not_yet_and_then_solved(learn: Learn, workspace: Workspace) -> None:
    before = learn("run", "views")
    assert before.returncode == 1
    assert "✗ solved" in before.stdout
    assert "\x1b" not in before.stdout
    solve(workspace, "views")
    after = learn("run", "views", "--json")
    assert after.returncode == 0
    document = json.loads(after.stdout)
    assert (document["schema"], document["command"]) == ("torchstone/1", "learn run")
    assert document["earned"] == ["solved", "lean"]
    assert "1/" in learn("list").stdout


def test_json_says_what_could_not_be_saved(learn: Learn, workspace: Workspace) -> None:
    solve(workspace, "views")
    assert json.loads(learn("run", "views", "--json").stdout)["trouble"] is None
    state = workspace.folder / ".torchstone"
    state.rename(workspace.folder / "elsewhere")
    state.write_text("a file in the place of the folder")
    document = json.loads(learn("hint", "views", "--json").stdout)
    assert document["trouble"].startswith("your progress could not be saved yet: ")
    solve(workspace, "first_tensors")
    document = json.loads(learn("run", "first_tensors", "--json").stdout)
    assert "solved" in document["earned"]
    assert "could be saved" in document["trouble"]


def test_without_a_terminal_learn_grades_the_next_unsolved_once(learn: Learn) -> None:
    done = learn("--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["exercise"] == "hello_tensor"


def test_hints_come_one_by_one(learn: Learn) -> None:
    assert "hint 1 of 3" in learn("hint", "views").stdout
    assert "hint 2 of 3" in learn("hint", "views").stdout
    assert len(json.loads(learn("hint", "views", "--json").stdout)["hints"]) == 3


def test_reset_and_solution_want_a_yes(learn: Learn, workspace: Workspace) -> None:
    refused = learn("reset", "views")
    assert refused.returncode == 2
    assert "hint: give --yes" in refused.stderr
    assert learn("reset", "views", "--yes").returncode == 0
    assert learn("solution", "views").returncode == 2
    shown = learn("solution", "views", "--yes")
    views = next(one for one in workspace.exercises if one.name == "views")
    assert shown.stdout == views.solution.read_text()


def test_check_all_grades_what_was_begun(learn: Learn, workspace: Workspace) -> None:
    assert "nothing to check" in learn("check-all").stdout
    solve(workspace, "views")
    document = json.loads(learn("check-all", "--json").stdout)
    assert [verdict["exercise"] for verdict in document["verdicts"]] == ["views"]


def test_stats_and_list(learn: Learn) -> None:
    chapters = json.loads(learn("stats", "--json").stdout)["chapters"]
    assert chapters[0]["chapter"] == "00_first_steps"
    rows = json.loads(learn("list", "--json").stdout)["exercises"]
    assert rows[0]["name"] == "hello_tensor"
    assert "01_tensors" in learn("stats").stdout


@pytest.mark.parametrize("arguments", [("run", "no_such"), ("run", "views", "--device", "no_such")])
def test_misuse_is_told(learn: Learn, arguments: tuple[str, ...]) -> None:
    done = learn(*arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr


def test_outside_of_a_folder(learn: Learn, tmp_path: Path) -> None:
    done = learn("list", folder=tmp_path)
    assert done.returncode == 2
    assert "learn init" in done.stderr


def test_a_damaged_progress_file_is_told(learn: Learn, workspace: Workspace) -> None:
    workspace.progress.path.write_text('{"schema": "torchstone-learn/1", "exercises": {"views": {"solved": "2026')
    done = learn("list")
    assert done.returncode == 0
    assert "was damaged" in done.stderr


def test_help_needs_no_torch() -> None:
    code = "import sys, torchstone.commands.learn; print('torch' in sys.modules, 'rich' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


class Terminal:
    """Watch mode in a pseudo-terminal, driven with keys."""

    def __init__(self, folder: Path, lines: int = 40) -> None:
        self.master, slave = pty.openpty()
        command = [sys.executable, "-m", "torchstone", "learn", "--device", "cpu"]
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": "110", "LINES": str(lines)}
        self.process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, cwd=folder, env=environment)
        os.close(slave)

    def press(self, key: str) -> None:
        os.write(self.master, key.encode())

    def wait_for(self, text: str) -> str:
        """Read until the text is on the screen, colours left out."""
        seen = ""
        deadline = time.monotonic() + WAIT_S
        while text not in seen:
            ready, _, _ = select.select([self.master], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, f"{text!r} never appeared; the screen shows: {seen}"
            seen += re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b\]8;[^\x1b]*\x1b\\", "", os.read(self.master, 65536).decode())
        return seen

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.master)


@pytest.fixture
def terminal(workspace: Workspace) -> Iterator[Terminal]:
    one = Terminal(workspace.folder)
    yield one
    one.close()


@pytest.fixture
def small_terminal(workspace: Workspace) -> Iterator[Terminal]:
    one = Terminal(workspace.folder, lines=14)
    yield one
    one.close()


def test_a_session_with_keys(terminal: Terminal, workspace: Workspace) -> None:
    task = terminal.wait_for(KEY_LINE)
    assert "Your first tensor" in task
    assert "✗" not in task  # the verdict on an untouched starter would give the task away
    terminal.press("n")
    assert "not solved yet" in terminal.wait_for(BACK_LINE)
    terminal.press("h")
    hint = terminal.wait_for(BACK_LINE)
    assert "hint 1 of 3" in hint
    assert "`" not in hint
    terminal.press("q")
    terminal.wait_for(KEY_LINE)
    solve(workspace, "hello_tensor")
    assert "Solved, all marks" in terminal.wait_for(KEY_LINE)
    terminal.press("t")
    assert "Your first tensor" in terminal.wait_for(BACK_LINE)
    terminal.press("q")
    assert "Solved, all marks" in terminal.wait_for(KEY_LINE)
    terminal.press("n")
    assert "photo_facts:" in terminal.wait_for(KEY_LINE)
    terminal.press("l")
    terminal.wait_for("Enter go there")
    for _ in range(2):  # past solar_cells, which needs a package
        terminal.press("j")
        terminal.wait_for("Enter go there")
    terminal.press("\r")
    assert "slicing:" in terminal.wait_for(KEY_LINE)
    terminal.press("x")
    terminal.wait_for("y / n")
    terminal.press("n")
    assert "Nothing was changed" in terminal.wait_for(BACK_LINE)
    terminal.press("s")
    terminal.wait_for("y / n")
    terminal.press("y")
    assert "table[1:-1, 1:-1]" in terminal.wait_for(BACK_LINE)
    terminal.press("c")
    assert "1/1 hello_tensor: solved" in terminal.wait_for("1/1 hello_tensor: solved")
    terminal.press("q")
    terminal.wait_for(KEY_LINE)
    terminal.press("q")
    assert terminal.process.wait(WAIT_S) == 0


def test_escape_stops_a_grading_and_keys_work_meanwhile(terminal: Terminal, workspace: Workspace) -> None:
    terminal.wait_for(KEY_LINE)
    workspace.file(workspace.exercises[0]).write_text("while True:\n    pass\n")
    terminal.wait_for("Esc stops it")
    terminal.press("t")
    assert "Your first tensor" in terminal.wait_for("Esc stops it")
    terminal.press("\x1b")
    terminal.wait_for("Grading was stopped")
    solve(workspace, "hello_tensor")
    assert "Solved, all marks" in terminal.wait_for("n goes on")


def test_whoever_reads_a_hint_sees_that_the_file_was_taken(terminal: Terminal, workspace: Workspace) -> None:
    terminal.wait_for(KEY_LINE)
    terminal.press("h")
    terminal.wait_for(BACK_LINE)
    workspace.file(workspace.exercises[0]).write_text("while True:\n    pass\n")
    assert "hint 1 of 3" in terminal.wait_for("Esc stops it · t task · h hint · l list · q back")
    terminal.press("q")
    terminal.wait_for("l list · q quit")


def test_the_verdict_is_seen_though_the_code_prints_much(small_terminal: Terminal, workspace: Workspace) -> None:
    small_terminal.wait_for(KEY_LINE)
    path = workspace.file(workspace.exercises[0])
    path.write_text("for number in range(60):\n    print('line', number)\n" + path.read_text())
    small_terminal.wait_for("✗ solved")
    small_terminal.press("\x1b[A\x1b[A\x1b[A")  # a held key comes several times in one piece
    small_terminal.wait_for("line 58")


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("n", ["n"]),
        ("N", ["n"]),
        ("\x1b", [keys.ESCAPE]),
        ("\x1b[B\x1b[B\x1bOA", [keys.DOWN, keys.DOWN, keys.UP]),
        ("  ", [keys.PAGE_DOWN, keys.PAGE_DOWN]),
        ("xy", ["x"]),
        ("import torch\n", ["i"]),
        ("\x1b[C", ["\x1b[c"]),
        ("", []),
    ],
)
def test_keys_that_come_in_one_piece(typed: str, expected: list[str]) -> None:
    assert keys.keys_in(typed) == expected


def test_a_failing_case_is_replayed_in_the_debugger(terminal: Terminal, workspace: Workspace) -> None:
    terminal.wait_for(KEY_LINE)
    path = workspace.file(workspace.exercises[0])
    path.write_text(path.read_text() + "\n")
    terminal.wait_for("✗ solved")
    terminal.press("r")
    assert "make_tensor is called with what failed" in terminal.wait_for("(Pdb)")
    os.write(terminal.master, b"p type(numbers)\n")
    terminal.wait_for("list")
    os.write(terminal.master, b"c\n")
    terminal.wait_for("Enter goes back")
    os.write(terminal.master, b"\n")
    terminal.wait_for("✗ solved")


def test_a_file_that_writes_to_itself_does_not_run_forever(terminal: Terminal, workspace: Workspace) -> None:
    terminal.wait_for(KEY_LINE)
    path = workspace.file(workspace.exercises[0])
    path.write_text(f"open({str(path)!r}, 'a').write('#\\n')\n")
    terminal.wait_for("the file changes each time it runs")


def test_a_deleted_file_while_watching(terminal: Terminal, workspace: Workspace) -> None:
    terminal.wait_for(KEY_LINE)
    workspace.file(workspace.exercises[0]).unlink()
    terminal.press("\r")
    assert "is gone" in " ".join(terminal.wait_for(BACK_LINE).split())
    terminal.press("x")
    terminal.wait_for("y / n")
    terminal.press("y")
    assert "make_tensor" in terminal.wait_for(KEY_LINE)


def test_the_folder_vanishes_while_watching(terminal: Terminal, workspace: Workspace, tmp_path: Path) -> None:
    terminal.wait_for(KEY_LINE)
    workspace.folder.rename(tmp_path / "moved")
    assert "is gone" in terminal.wait_for("hint: ")
    assert terminal.process.wait(WAIT_S) == 2

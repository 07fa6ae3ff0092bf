"""From saving a file to the verdict on the screen: `torchstone learn` beside `pytest` on an equal test file.

Why: an answer within a glance keeps a learner trying; one that takes three seconds sends them to another tab. A real
watch mode runs in a real pseudo-terminal; a file is saved, and the clock stops when the verdict's last line arrives.
The pytest file runs the same checks on the same solution. The last line is one JSON document.

    python benchmarks/verdict_latency.py --chapters 01 02 03 --saves 6 --pytest-runs 2
"""

import argparse
import json
import os
import pty
import select
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from torchstone.learn.catalog import Exercise, find_exercises
from torchstone.learn.progress import FILE
from torchstone.learn.workspace import Workspace, init

FIRST_SCREEN = b"edit and save"
LAST_LINE = b"n goes on"
GRADING = "grading …".encode()
"""Stands below the verdict before, until the new one comes."""
TIMEOUT_S = 60.0
TARGET_S = 0.080
TARGET_RATIO = 15.0
TEST_FILE = """
from pathlib import Path
import pytest
import torch
from torchstone.learn.grading.answers import Answer
from torchstone.learn.grading.checks import checks_of
from torchstone.learn.grading.draws import fresh_draw
from torchstone.learn.grading.session import session
from torchstone.learn.judging import load_module

ANSWER, GRADE = Path({answer!r}), Path({grade!r})
grade = load_module("grade", GRADE, GRADE.read_bytes())
session.forbidden = getattr(grade, "FORBIDDEN", {{}})
session.path = ANSWER
answer = Answer(load_module("answer", ANSWER, ANSWER.read_bytes()))
torch.set_num_threads(1)


@pytest.mark.parametrize("check", [one for one in checks_of(grade) if one.mark != "fast"], ids=lambda one: one.name)
def test_check(check):
    session.begin_check()
    check.run(answer, fresh_draw())
"""


def only_unsolved(workspace: Workspace, exercise: Exercise) -> None:
    """Make the exercise the one that watch mode starts with."""
    others = {one.name: {"solved": "2026-01-01"} for one in workspace.exercises if one is not exercise}
    state = {"schema": "torchstone-learn/1", "exercises": others | {exercise.name: {}}}
    (workspace.folder / FILE).write_text(json.dumps(state))


class Terminal:
    """Watch mode in a pseudo-terminal."""

    def __init__(self, folder: Path) -> None:
        self.master, slave = pty.openpty()
        command = [sys.executable, "-m", "torchstone", "learn", "--dir", str(folder), "--device", "cpu"]
        self.process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
        os.close(slave)

    def wait_for(self, last: bytes) -> bytes:
        """Read the screen until these words."""
        seen = b""
        deadline = time.perf_counter() + TIMEOUT_S
        while last not in seen.rsplit(GRADING, 1)[-1] or (last == LAST_LINE and GRADING not in seen):
            ready, _, _ = select.select([self.master], [], [], deadline - time.perf_counter())
            if not ready:
                raise TimeoutError(f"no verdict on the screen: {seen[-500:]!r}")
            seen += os.read(self.master, 1 << 16)
        return seen

    def close(self) -> None:
        os.write(self.master, b"q")
        self.process.wait(10)
        os.close(self.master)


def time_saves(workspace: Workspace, exercise: Exercise, saves: int) -> list[float]:
    """Seconds from the save to the verdict, for so many saves; the first verdict (loading torch) is not among them."""
    only_unsolved(workspace, exercise)
    workspace.file(exercise).write_bytes(exercise.starter.read_bytes())
    terminal = Terminal(workspace.folder)
    solution = exercise.solution.read_text()
    times = []
    try:
        terminal.wait_for(FIRST_SCREEN)
        for number in range(saves + 1):
            time.sleep(0.2)
            started = time.perf_counter()
            workspace.file(exercise).write_text(f"{solution}\n# {number}\n")
            screen = terminal.wait_for(LAST_LINE)
            times.append(time.perf_counter() - started)
            if b"solved" not in screen:
                raise RuntimeError(f"{exercise.name}: not a verdict: {screen!r}")
    finally:
        terminal.close()
    return times[1:]


def time_pytest(exercise: Exercise, folder: Path, runs: int) -> list[float]:
    """Seconds that pytest takes for the same checks of the same solution."""
    answer = folder / f"{exercise.folder.name}.py"
    answer.write_bytes(exercise.solution.read_bytes())
    test = folder / f"test_{exercise.name}.py"
    test.write_text(TEST_FILE.format(answer=str(answer), grade=str(exercise.folder / "grade.py")))
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, str(test)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
        times.append(time.perf_counter() - started)
        if done.returncode != 0:
            raise RuntimeError(f"{exercise.name}: pytest failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--chapters", nargs="*", default=["01", "02", "03"])
    parser.add_argument("--saves", type=int, default=6)
    parser.add_argument("--pytest-runs", type=int, default=2)
    options = parser.parse_args()
    chosen = [one for one in find_exercises() if one.chapter[:2] in options.chapters and "fast" not in one.marks]
    rows = []
    with tempfile.TemporaryDirectory(prefix="torchstone-latency-") as name:
        workspace, _ = init(Path(name) / "ladder")
        for exercise in chosen:
            ours = time_saves(workspace, exercise, options.saves)
            theirs = time_pytest(exercise, Path(name), options.pytest_runs)
            rows.append((exercise.name, ours, theirs))
            print(f"{exercise.name:<18} {median(ours) * 1e3:6.0f} ms   pytest {median(theirs):5.2f} s", flush=True)
    ours_s = median(second for _, ours, _ in rows for second in ours)
    theirs_s = median(second for _, _, theirs in rows for second in theirs)
    print(
        json.dumps(
            {
                "benchmark": "verdict_latency",
                "exercises": len(rows),
                "verdict_s": ours_s,
                "pytest_s": theirs_s,
                "ratio": theirs_s / ours_s,
                "within": ours_s <= TARGET_S and theirs_s / ours_s >= TARGET_RATIO,
            }
        )
    )


if __name__ == "__main__":
    main()

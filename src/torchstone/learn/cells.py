"""Exercises in a notebook: the task, one cell with the code, and the same grading as in the terminal.

`learn notebook NAME` writes `NAME.ipynb` beside the exercise. Its code cell begins with `%%exercise NAME`: running the
cell saves what stands in it as the learner's file and shows the verdict, so that the terminal and the notebook go on
from each other.
"""

import atexit
import json
from functools import cache
from pathlib import Path
from typing import Any

from torchstone.files import write_whole
from torchstone.learn.catalog import Exercise, find_exercise
from torchstone.learn.grader import Grader
from torchstone.learn.screen import make_console, print_verdict
from torchstone.learn.verdicts import Verdict
from torchstone.learn.workspace import Workspace, find_workspace

MAGIC = "exercise"


def write_notebook(workspace: Workspace, exercise: Exercise) -> Path:
    """The exercise as a notebook, with the learner's file as it is now; what is there is overwritten."""
    source = workspace.read(exercise).content.decode("utf-8", "replace")
    first = "%load_ext torchstone.learn.cells\n# Runs first, once."
    cells = [
        _cell("markdown", exercise.task),
        _cell("code", first),
        _cell("code", f"%%{MAGIC} {exercise.name}\n{source}"),
        _cell("markdown", "Run the cell above: it is saved as your file and graded. A hint: `!torchstone learn hint`."),
    ]
    document = {
        "cells": cells,
        "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    path = workspace.file(exercise).with_suffix(".ipynb")
    write_whole(path, json.dumps(document, indent=1, ensure_ascii=False).encode() + b"\n")
    return path


def _cell(kind: str, text: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "id": f"{kind}-{abs(hash(text)) % 10**8}", "metadata": {}}
    cell["source"] = text.splitlines(keepends=True)
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})


@cache
def _grader() -> Grader:
    """Kept for as long as the kernel: the first verdict loads torch, the others are quick."""
    grader = Grader()
    atexit.register(grader.close)
    return grader


def load_ipython_extension(shell: Any) -> None:
    """What `%load_ext torchstone.learn.cells` calls."""
    shell.register_magic_function(grade_cell, magic_kind="cell", magic_name=MAGIC)


def grade_cell(line: str, cell: str) -> None:
    """`%%exercise NAME`: save the cell as the learner's file, grade it, show the verdict."""
    workspace = find_workspace(Path.cwd())
    exercise = find_exercise(line.strip(), workspace.exercises)
    verdict = grade_source(workspace, exercise, cell)
    print_verdict(make_console(), workspace, exercise, verdict)


def grade_source(workspace: Workspace, exercise: Exercise, cell: str) -> Verdict:
    """Save and grade, as a save in watch mode does."""
    path = workspace.file(exercise)
    write_whole(path, cell.encode())
    grader = _grader()
    verdict = grader.grade(exercise, path, cell.encode())
    workspace.keep(verdict)
    return verdict

"""Whether the learner's file reaches into the grader: reads a solution, walks up to its frames, unhooks a check.

No sandbox: whoever wants to fool themselves can. But what needs the insides of this package is found, by the source and
by what is opened while it runs, and named instead of rewarded.
"""

import ast
import mmap
import os
import sys
from pathlib import Path
from types import FrameType
from typing import Any

from torchstone.learn.grading.checks import current_line, place_at
from torchstone.learn.verdicts import Failure, Place

INSIDES = "torchstone.learn"
WORDS = (INSIDES, "torchstone_grade", "solution.py")
"""In a string of the learner's file: the way to a module that is not imported by name."""
ATTRIBUTES = {
    "_getframe": "sys._getframe",
    "currentframe": "inspect.currentframe",
    "f_back": "the frame of its caller",
    "f_globals": "the globals of a frame",
    "get_objects": "gc.get_objects",
    "get_referrers": "gc.get_referrers",
}
SOURCE_READERS = ("linecache", "traceback", "inspect", "warnings", "tokenize")
"""Whoever prints a traceback reads the files of its frames; that is no prying, unless it is the solution."""
TAUGHT = (
    "The checks are the same for everyone, and the answer is not in them: `s` shows the solution, once you give up."
)


def find_prying(source: bytes) -> Failure | None:
    """The first place of the learner's file that reaches into the grader."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):  # said elsewhere, and better
        return None
    lines = source.decode("utf-8", "replace").splitlines()
    for node in ast.walk(tree):
        what = _reaches_for(node)
        if what is not None:
            line: int = getattr(node, "lineno", 0)
            place = Place(line=line, text=lines[line - 1].strip())
            return Failure(message=f"your file reaches into the grader: {what}", place=place, teach=TAUGHT)
    return None


def _reaches_for(node: ast.AST) -> str | None:
    if isinstance(node, ast.Import):
        return next((alias.name for alias in node.names if alias.name.startswith(INSIDES)), None)
    if isinstance(node, ast.ImportFrom):
        names = [f"{node.module}.{alias.name}" for alias in node.names]
        return next((name for name in names if name.startswith(INSIDES)), None)
    if isinstance(node, ast.Attribute):
        if node.attr == "modules" and isinstance(node.value, ast.Name) and node.value.id == "sys":
            return "sys.modules"
        return ATTRIBUTES.get(node.attr)
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 200:
        return next((word for word in WORDS if word in node.value), None)
    return None


class FileGuard:
    """Notices when the learner's code, in this process or in a forked one, opens the files of its exercise."""

    def __init__(self, folder: Path) -> None:
        self.folder = os.path.realpath(folder) + os.sep
        self.shared = mmap.mmap(-1, 1)
        self.failure: Failure | None = None

    def install(self) -> None:
        """From now on and for good: an audit hook cannot be taken back."""
        sys.addaudithook(self._see)

    @property
    def found(self) -> Failure | None:
        if self.failure is None and self.shared[0]:
            return Failure(message="a process that your code started opened the exercise's own files", teach=TAUGHT)
        return self.failure

    def _see(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event != "open" or self.failure is not None or not isinstance(arguments[0], (str, bytes)):
            return
        path = os.fsdecode(arguments[0])
        if not path.endswith(".py") or not os.path.realpath(path).startswith(self.folder):
            return
        line = current_line()
        if line and not (path.endswith("grade.py") and _reads_a_traceback(sys._getframe())):
            self.shared[0] = 1
            message = f"your code opened {Path(path).name} of the exercise"
            self.failure = Failure(message=message, place=place_at(line), teach=TAUGHT)


def _reads_a_traceback(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_globals.get("__name__") in SOURCE_READERS:
            return True
        frame = frame.f_back
    return False

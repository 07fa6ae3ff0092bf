"""Runs a person's code in a process of its own, for so long and no longer, and finds the line at which it stood then.

The line comes from Python's faulthandler: it tells it also where the interpreter waits for one call of C to return.
"""

import faulthandler
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from torchstone.checking import building
from torchstone.checking.places import is_somebodys, shorten
from torchstone.checking.trace import Place
from torchstone.files import temporary_folder
from torchstone.processes import Limits, Outcome, run_spawned

START_S = 60.0
"""More than a process needs to import torch: only one that does not even hear its own clock is ended by ours."""
BUILDING = "building"
"""The phase before a model is there."""
_FRAME = re.compile(r'^  File "(.+)", line (\d+) in ', re.MULTILINE)
MORE_TIME = "see what it waits for there, or give it more time with --limit"


def run_limited(call: Callable[[], Any], limit_s: float, returns: Any) -> tuple[Outcome, Place]:
    """How it ended; where it took too long, with the place at which it stood."""
    with temporary_folder("limit") as folder:
        stack = folder / "stack"
        limits = Limits(seconds=limit_s + START_S)
        outcome = run_spawned(partial(_run_watched, call, limit_s, str(stack)), limits, returns=returns)
        found = stack.read_text(encoding="utf-8", errors="replace") if stack.exists() else ""
    if found or outcome.ended == "timed_out":
        outcome = replace(outcome, ended="timed_out", detail=f"it had not ended after {limit_s:g} s")
    return outcome, place_in(found)


def _run_watched(call: Callable[[], Any], limit_s: float, stack: str) -> Any:
    with Path(stack).open("wb") as file:
        faulthandler.dump_traceback_later(limit_s, exit=True, file=file)
        try:
            return call()
        finally:
            faulthandler.cancel_dump_traceback_later()


def place_in(stack: str) -> Place:
    """The innermost line outside torch in what faulthandler says of the first thread, which comes last."""
    frames = _FRAME.findall(stack.rpartition("Thread ")[2])
    source = next((f"{shorten(file)}:{line}" for file, line in frames if is_somebodys(file)), "")
    is_built = not any(Path(file) == Path(building.__file__) for file, _ in frames)
    return Place(phase="forward" if is_built else BUILDING, source=source)

"""`learn debug NAME`: the failing case once more, in this terminal, where `breakpoint()` works.

While grading, `breakpoint()` would wait for someone whom it cannot reach, so it is passed over there. Here the checks
run in this process, quietly, up to the first that fails; then the learner's function is called once more with the very
arguments that failed, in Python's debugger: at the learner's own `breakpoint()`, or at the function's first line.
"""

import pdb
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import torch

from torchstone.learn.catalog import Exercise
from torchstone.learn.grading import forbidding
from torchstone.learn.grading.answers import Answer
from torchstone.learn.grading.checks import Check, Failed, Skipped, checks_of
from torchstone.learn.grading.draws import fresh_draw
from torchstone.learn.grading.keeping import clone
from torchstone.learn.grading.session import session
from torchstone.learn.judging import load_module
from torchstone.learn.verdicts import Failure

Tell = Callable[[str], None]


def debug(exercise: Exercise, path: Path, source: bytes, device: str, seed: int | None, tell: Tell) -> bool:
    """Replay the first failing case; whether there was one."""
    grade_file = exercise.folder / "grade.py"
    session.device = torch.device(device)
    session.seed = time.time_ns() % 2**32 if seed is None else seed
    session.path = path
    torch.set_num_threads(1)
    grade = load_module("torchstone_grade", grade_file, grade_file.read_bytes())
    session.forbidden = getattr(grade, "FORBIDDEN", {})
    forbidding.prepare(session.forbidden)
    sys.path.append(str(path.parent))
    module = load_module(path.stem, path, source)
    for check in checks_of(grade):
        found = _run_quietly(check, Answer(module))
        if found is not None:
            _replay(check, module, found, b"breakpoint()" in source, tell)
            return True
    tell("Every check passes: there is no failing case to replay.")
    return False


def _run_quietly(check: Check, answer: Answer) -> Failure | Exception | None:
    """What made the check fail; the learner's breakpoints are passed over on the way."""
    session.begin_check()
    hook, sys.breakpointhook = sys.breakpointhook, lambda *args, **kwargs: None
    try:
        check.run(answer, fresh_draw())
    except Skipped:
        return None
    except Failed as failed:
        return failed.failure
    except Exception as error:  # the learner's own, which is what is looked for
        return error
    finally:
        sys.breakpointhook = hook
    return None


def _replay(check: Check, module: ModuleType, found: Failure | Exception, has_breakpoint: bool, tell: Tell) -> None:
    what = found.message if isinstance(found, Failure) else f"{type(found).__name__}: {found}"
    tell(f"{check.name} fails: {what}")
    call = session.last_call
    function = vars(module).get(call.name) if call is not None else None
    if call is None or not callable(function):
        tell("This case is no single call of a function of yours: the whole check runs, your breakpoints work.")
        session.begin_check()
        check.run(Answer(module), fresh_draw())
        return
    tell(f"{call.name} is called with what failed (n next line, s step, p NAME prints, c goes on, q ends).")
    args, kwargs = clone((call.positional, dict(call.keyword)))
    result = function(*args, **kwargs) if has_breakpoint else pdb.runcall(function, *args, **kwargs)
    tell(f"it returned {result!r}")

"""One verdict, inside a fresh process: loads `grade.py`, then the learner's file, then runs the checks.

The order matters: everything that grading uses is in place, and remembered, before a line of the learner's runs. All of
that can be done before the learner saves; the process then waits for the file. What has been found is written to a
journal at once, so that a crash, an endless loop or an `os._exit` in a later check does not take it away; the side that
started this process reads the journal then.
"""

import faulthandler
import importlib.util
import linecache
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import torch

from torchstone.errors import message_of
from torchstone.learn.forking import ForkGuard
from torchstone.learn.grading import forbidding, hooks
from torchstone.learn.grading.answers import Answer, expect_allowed
from torchstone.learn.grading.checks import Check, Failed, Skipped, checks_of, place_in_answer
from torchstone.learn.grading.comparing import expect_same
from torchstone.learn.grading.draws import Draw, fresh_draw
from torchstone.learn.grading.mistakes import explain_error
from torchstone.learn.grading.portability import pretend_device
from torchstone.learn.grading.session import session
from torchstone.learn.grading.showing import show_call
from torchstone.learn.journal import Journal
from torchstone.learn.prying import FileGuard, find_prying
from torchstone.learn.tampering import TAUGHT, Snapshot, find_tampering, take_snapshot
from torchstone.learn.verdicts import ANOTHER_DEVICE, CheckResult, Failure, Mark, Place, Verdict
from torchstone.processes import is_out_of_memory

TRACE_BEFORE_LIMIT_S = 0.3
"""How long before its end a process that runs too long writes down where it stands."""
MESSAGE_LIMIT = 400
ELSEWHERE = "The pretend device stands for a GPU here: make each new tensor where its neighbours are (device=x.device)."


Run = tuple[str, Mark, Callable[[], CheckResult]]
"""A check, by its name and its mark."""


@dataclass(frozen=True)
class Job:
    """What is known of a grading before there is a file to grade."""

    exercise: str
    grade: Path
    device: str
    offered: tuple[Mark, ...]
    scratch: Path
    """An empty folder to work in, with the journal."""
    time_limit_s: float
    ends_itself: bool = False
    """Whether this process keeps its own time limit, because the side that asks counts its start-up too."""
    portable: bool = False
    """Whether what is solved on the CPU must be solved on another device too."""


@dataclass(frozen=True)
class Submission:
    """The learner's file."""

    path: Path
    """Where it is; what is graded is `source`, read once by the side that asks."""
    source: bytes
    seed: int
    only: tuple[str, ...] = ()
    """Names of the checks to run; empty for all."""


def judge(job: Job, ready: "Ready", submission: Submission) -> Verdict:
    """Import the learner's file and run the checks; once in a process, which the file may do anything to."""
    guards = Guards(ready.before, ForkGuard(), FileGuard(job.grade.parent))
    guards.forks.install()
    guards.files.install()
    journal = Journal(job.scratch)
    session.path, session.seed = submission.path, submission.seed
    with journal.trace_file().open("w") as trace:
        traced_s = max(job.time_limit_s - TRACE_BEFORE_LIMIT_S, 0.1)
        faulthandler.dump_traceback_later(traced_s, file=trace, exit=job.ends_itself)
        checks = _run(job, ready.checks, guards, submission, journal)
        faulthandler.cancel_dump_traceback_later()
    broken = next((check for check in checks if isinstance(check, Failure)), None)
    return Verdict(
        exercise=job.exercise,
        device=job.device,
        offered=job.offered,
        checks=tuple(check for check in checks if isinstance(check, CheckResult)),
        broken=broken,
        pictures=tuple(session.pictures),
        seed=submission.seed,
    )


BREAKPOINT = "breakpoint() is passed over while grading: `torchstone learn debug` (r in watch mode) stops there"


def _pass_over(*args: Any, **kwargs: Any) -> None:
    """Nobody could answer a debugger here; said once."""
    if not session.told_of_breakpoint:
        session.told_of_breakpoint = True
        sys.stdout.write(BREAKPOINT + "\n")


def _set_up(job: Job) -> None:
    from torchstone.backends import import_package_of

    if job.device != "cpu":
        import_package_of(job.device)
    session.device = torch.device(job.device)
    sys.breakpointhook = _pass_over
    # Cases are small: starting a pool of threads in each fresh process would cost more than it gains.
    torch.set_num_threads(1)


@dataclass(frozen=True)
class Guards:
    """What is looked at after every check, whatever the check says."""

    before: Snapshot
    forks: ForkGuard
    files: FileGuard


@dataclass(frozen=True)
class Ready:
    """All that a grading needs beside the learner's file."""

    checks: tuple[Check, ...]
    before: Snapshot


def get_ready(job: Job) -> Ready:
    """Load the checks and what they use, and remember what torch is like."""
    _set_up(job)
    grade = load_module("torchstone_grade", job.grade, job.grade.read_bytes())
    session.forbidden = getattr(grade, "FORBIDDEN", {})
    forbidding.prepare(session.forbidden)
    hooks.follow_threads()
    if session.forbidden:
        forbidding.see_programs()
        forbidding.see_operators()
    _warm_up(Guards(take_snapshot(), ForkGuard(), FileGuard(job.grade.parent)))
    return Ready(checks_of(grade), take_snapshot())


def _warm_up(guards: Guards) -> None:
    """Run a check of nothing: what is used first in a fork is slow, torch's caches are empty and memory is copied.

    Without a backward pass: the pretend device has to be installed before the first one.
    """
    module = ModuleType("warm_up")
    vars(module)["mean"] = lambda rows, keep: (rows.exp() * keep[:, None]).sum(0) / keep.sum()

    def run(answer: Answer, draw: Draw) -> None:
        for dtype in (torch.float32, torch.float64):
            rows, keep = draw.normal(3, 2, dtype=dtype), draw.uniform(3, dtype=dtype)
            expect_same(answer.mean, lambda rows, keep: vars(module)["mean"](rows, keep) + 1e-12, rows, keep)

    _run_check(Check("warm_up", "solved", None, run), Answer(module), guards)
    torch.default_generator.manual_seed(session.seed)


def _run(
    job: Job, checks: tuple[Check, ...], guards: Guards, submission: Submission, journal: Journal
) -> list[CheckResult | Failure]:
    journal.begin("import")
    failure, module = _import_answer(submission)
    if failure is None and module is not None:
        failure = _trouble(guards)
    if failure is not None or module is None:
        return [failure] if failure else []
    runs = _wanted(_runs(job, checks, guards, Answer(module)), submission.only)
    return list(_results(runs, journal))


def _runs(job: Job, checks: tuple[Check, ...], guards: Guards, answer: Answer) -> list[Run]:
    solved = tuple(check for check in checks if check.mark == "solved")
    runs: list[Run] = [(check.name, check.mark, partial(_run_check, check, answer, guards)) for check in checks]
    if job.portable and session.device.type == "cpu":
        runs.insert(len(solved), (ANOTHER_DEVICE, "solved", partial(_run_elsewhere, solved, answer, guards)))
    return runs


def _results(runs: list[Run], journal: Journal) -> Iterator[CheckResult]:
    """Run the checks, *solved* until the first that fails: the smallest failing case is enough to work on."""
    for name, mark, run in runs:
        journal.begin(name, mark)
        result = run()
        journal.add(result)
        yield result
        if mark == "solved" and not result.passed and result.skipped is None:
            return


def _wanted(runs: list[Run], only: tuple[str, ...]) -> list[Run]:
    """Those of these names; before one for another mark all of *solved*, without which no other mark is earned."""
    named = [run for run in runs if run[0] in only]
    if not only or all(mark == "solved" for _, mark, _ in named):
        return named if only else runs
    return [run for run in runs if run in named or run[1] == "solved"]


def _run_elsewhere(checks: tuple[Check, ...], answer: Answer, guards: Guards) -> CheckResult:
    """The *solved* checks once more where a tensor made without `device=` is in the wrong place; fewer cases do."""
    seconds = 0.0
    session.brief = True
    try:
        with pretend_device():
            for check in checks:
                result = _run_check(check, answer, guards)
                seconds += result.seconds
                if result.failure is not None:
                    return _told_elsewhere(result)
    except Skipped as reason:
        return CheckResult(name=ANOTHER_DEVICE, mark="solved", passed=False, skipped=str(reason))
    finally:
        session.brief = False
    return CheckResult(name=ANOTHER_DEVICE, mark="solved", passed=True, seconds=seconds)


def _told_elsewhere(result: CheckResult) -> CheckResult:
    failure = result.failure
    if failure is not None:
        failure = msgspec.structs.replace(
            failure,
            message=f"right on the CPU, and not on another device: {failure.message}",
            teach=_join(failure.teach, ELSEWHERE),
        )
    return msgspec.structs.replace(result, name=ANOTHER_DEVICE, failure=failure)


def _run_check(check: Check, answer: Answer, guards: Guards) -> CheckResult:
    session.begin_check()
    started = time.perf_counter()
    failure: Failure | None = None
    skipped: str | None = None
    try:
        with forbidding.watch_for(session.forbidden, only_by_the_learner=True) as found:
            check.run(answer, fresh_draw())
        expect_allowed(found, "your code")
    except Skipped as reason:
        skipped = str(reason)
    except Failed as failed:
        failure = _complete(failed, check)
    except BaseException as error:  # whatever the learner's code raises is the result
        failure = explain_exception(error, check.teach)
    failure = _trouble(guards) or failure
    return CheckResult(
        name=check.name,
        mark=check.mark,
        passed=failure is None and skipped is None,
        failure=failure,
        skipped=skipped,
        evidence=session.evidence if failure is None else None,
        seconds=time.perf_counter() - started,
        timed=session.timed,
    )


def _complete(failed: Failed, check: Check) -> Failure:
    """The failure with what the check itself need not say: the inputs, the place, the sentence."""
    failure = failed.failure
    place = failure.place or place_in_answer(failed.__traceback__)
    return msgspec.structs.replace(
        failure, inputs=failure.inputs or _inputs(), place=place, teach=failure.teach or check.teach
    )


def _inputs() -> Any:
    return show_call(session.last_call.arguments) if session.last_call is not None else ()


def explain_exception(error: BaseException, teach: str | None) -> Failure:
    """An exception in the learner's words: their line, the message, and what it usually means."""
    place = place_in_answer(error.__traceback__)
    text = _message_of(error)
    known = session.diagnosis or _join(explain_error(type(error).__name__, text), session.teach or teach)
    if is_out_of_memory(error):
        return Failure(
            message="it asked for more memory than it may have",
            inputs=_inputs(),
            place=place,
            teach="Look for the tensor that grows with the product of two lengths.",
        )
    if isinstance(error, SystemExit):
        return Failure(
            message=f"your code called exit({error.code!r})",
            place=place,
            teach="A function hands its result back with return; exit ends the whole program.",
        )
    if isinstance(error, NotImplementedError) and place is not None and "raise" in place.text:
        return Failure(
            message=f"not written yet: {text or 'the function raises NotImplementedError'}",
            place=place,
            teach="Put your code where the TODO is.",
        )
    named = f"{type(error).__name__}: {text}" if text else type(error).__name__
    if place is None and isinstance(error, TypeError) and "argument" in text:
        return Failure(
            message=f"the checks call it as the task says, and that fails: {named}",
            teach="Keep the parameters of the starter: their number, order and names.",
        )
    if place is None:
        named = f"what your code returned can't be used: {named}"
    return Failure(message=named, inputs=_inputs(), place=place, teach=known)


def _join(*sentences: str | None) -> str | None:
    """What torch's error means in general, and then what the check knows about this exercise: either alone can miss."""
    return " ".join(dict.fromkeys(sentence for sentence in sentences if sentence)) or None


def _message_of(error: BaseException) -> str:
    first = message_of(error).strip().split("\nThis error may be", 1)[0]
    return first if len(first) <= MESSAGE_LIMIT else first[:MESSAGE_LIMIT] + " …"


def _trouble(guards: Guards) -> Failure | None:
    guards.forks.leave_if_forked()
    if guards.forks.exceeded:
        return Failure(
            message=f"your code started more than {guards.forks.limit} processes and was stopped",
            teach="A fork inside a loop doubles the processes each time round.",
        )
    if guards.files.found is not None:
        return guards.files.found
    tampered = find_tampering(guards.before)
    return Failure(message=tampered, teach=TAUGHT) if tampered else None


def _import_answer(submission: Submission) -> tuple[Failure | None, ModuleType | None]:
    failure = _explain_encoding(submission.source) or find_prying(submission.source)
    if failure is not None:
        return failure, None
    sys.path.append(str(submission.path.parent))  # last, so that a file there can't stand in for a module of Python's
    try:
        return None, load_module(submission.path.stem, submission.path, submission.source)
    except SyntaxError as error:
        return _explain_syntax(error, submission), None
    except BaseException as error:  # whatever the learner's code raises is the result
        return explain_exception(error, "This happens while your file is imported, before any check runs."), None


def _explain_encoding(source: bytes) -> Failure | None:
    try:
        source.decode("utf-8")
    except UnicodeDecodeError as bad:
        line = source[: bad.start].count(b"\n") + 1
        return Failure(
            message=f"the file is not UTF-8 text: byte 0x{source[bad.start]:02x} in line {line}",
            teach="Save it again as UTF-8; editors call that the file's encoding.",
        )
    return None


def _explain_syntax(error: SyntaxError, submission: Submission) -> Failure:
    lines = submission.source.decode("utf-8", "replace").splitlines()
    line = error.lineno or 0
    place = Place(line=line, text=lines[line - 1].strip()) if 0 < line <= len(lines) else None
    return Failure(
        message=f"Python cannot read the file: {error.msg}",
        place=place,
        teach="Look at this line and the one above it: a bracket, a colon or an indent.",
    )


def load_module(name: str, path: Path, source: bytes) -> ModuleType:
    """A module from these bytes, registered as if imported from `path`, so that its classes can be pickled."""
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    # Tracebacks show what was graded, even if the file has changed since.
    lines = source.decode("utf-8", "replace").splitlines(keepends=True)
    linecache.cache[str(path)] = (len(source), None, lines, str(path))
    code = compile(source, str(path), "exec", dont_inherit=True)
    sys.modules[name] = module
    exec(code, vars(module))
    return module

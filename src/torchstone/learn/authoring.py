"""`learn dev check` and `learn dev new`: an exercise is right when its starter fails, its solution earns every mark
on the CPU and on the pretend device, and each wrong answer is rejected by the check that it names.
"""

import ast
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Literal

from torchstone.errors import UserError
from torchstone.files import temporary_folder
from torchstone.learn import promises
from torchstone.learn.catalog import GRADES, KEYS, Exercise
from torchstone.learn.grader import Grader, Servers, missing_packages
from torchstone.learn.promises import HEAD, named_checks
from torchstone.learn.verdicts import ANOTHER_DEVICE, CheckResult, Verdict

FILES = {"task.md", "start.py", "solution.py", "grade.py", "hints.md", "wrong"}
OPTIONAL = {"right"}
HINTS = 3
FEWEST_WRONG = 2
LONGEST_TASK_LINES = 45
"""A task fits on one screen."""
RIGHT_HEAD = re.compile(r"# earns: (?P<marks>[a-z ]+)")
NO_HEAD = "its first line should be `# rejected by: <check>: <phrase of its message>`"
Kind = Literal["starter", "solution", "wrong", "right"]


@dataclass(frozen=True)
class Trial:
    """One file of an exercise to be graded."""

    exercise: Exercise
    kind: Kind
    file: Path
    device: str

    @property
    def name(self) -> str:
        return f"{self.exercise.name}/{self.file.relative_to(self.exercise.folder)} on {self.device}"


@dataclass(frozen=True)
class Fault:
    """Something that an author has to mend."""

    where: str
    what: str
    by_clock: bool = False
    """Whether a check that rests on a clock says so: on a busy machine it may be the machine's fault."""


@dataclass(frozen=True)
class TrialResult:
    trial: Trial
    seconds: float
    faults: tuple[Fault, ...]
    seed: int = 0
    """Of the values that were drawn: with it a fault that comes by chance comes again."""


def trials_of(exercise: Exercise) -> Iterator[Trial]:
    """Everything of an exercise that is graded."""
    yield Trial(exercise, "starter", exercise.starter, "cpu")
    yield Trial(exercise, "solution", exercise.solution, "cpu")
    if exercise.graded_on_pretend:
        yield Trial(exercise, "solution", exercise.solution, "pretend")
    for file in sorted((exercise.folder / "wrong").glob("*.py")):
        yield Trial(exercise, "wrong", file, "cpu")
    for file in sorted((exercise.folder / "right").glob("*.py")):
        yield Trial(exercise, "right", file, "cpu")


def check_exercises(
    exercises: Sequence[Exercise],
    jobs: int,
    on_result: Callable[[TrialResult], None] = lambda result: None,
    seed: int | None = None,
) -> tuple[TrialResult, ...]:
    """Grade all trials, `jobs` at a time, and tell each result as it comes. Without a seed each trial has a new one."""
    trials = [trial for exercise in exercises if can_be_graded(exercise) for trial in trials_of(exercise)]
    trials.sort(key=lambda trial: -trial.exercise.time_limit_s)  # the long ones first, so that none is left alone
    graders: SimpleQueue[dict[str, Grader]] = SimpleQueue()
    servers = Servers()
    for _ in range(jobs):
        graders.put({device: Grader(device, servers, many=True) for device in ("cpu", "pretend")})

    def perform(trial: Trial) -> TrialResult:
        mine = graders.get()
        try:
            result = run_trial(trial, mine[trial.device], seed)
        finally:
            graders.put(mine)
        on_result(result)
        return result

    try:
        with ThreadPoolExecutor(jobs) as pool:
            return tuple(pool.map(perform, trials))
    finally:
        for _ in range(jobs):
            for grader in graders.get().values():
                grader.close()
        servers.close()


def can_be_graded(exercise: Exercise) -> bool:
    return not check_files(exercise) and not missing_packages(exercise)


def run_trial(trial: Trial, grader: Grader, seed: int | None = None) -> TrialResult:
    """Grade one file as the learner would have it: alone in a folder, under the exercise's own file name.

    With a new seed each time, as the learner's, unless one is given. Of a wrong answer the checks that it names are
    asked first, and alone; where they do not reject it as it says, the whole grading decides.
    """
    with temporary_folder("dev") as folder:
        path = folder / f"{trial.exercise.folder.name}.py"
        source = trial.file.read_bytes()
        path.write_bytes(source)
        only = _checks_to_ask(trial)
        verdict = grader.grade(trial.exercise, path, source, seed, only)
        found = _judge_trial(trial, verdict)
        if found and only:
            verdict = grader.grade(trial.exercise, path, source, verdict.seed)
            found = _judge_trial(trial, verdict)
    faults = tuple(Fault(trial.name, what, by_clock) for what, by_clock in found)
    return TrialResult(trial, verdict.seconds, faults, verdict.seed)


def _checks_to_ask(trial: Trial) -> tuple[str, ...]:
    """Empty for all."""
    head = HEAD.match(trial.file.read_text(encoding="utf-8", errors="replace")) if trial.kind == "wrong" else None
    return tuple(named_checks(head)) if head is not None else ()


def _judge_trial(trial: Trial, verdict: Verdict) -> list[tuple[str, bool]]:
    """What is wrong, and whether it rests on a clock."""
    if trial.kind == "starter":
        return [(what, False) for what in _judge_starter(verdict)]
    if trial.kind == "solution":
        return _judge_solution(trial.exercise, verdict)
    if trial.kind == "right":
        return _judge_right(trial.file, verdict)
    return _judge_wrong(trial.file, verdict)


def _judge_starter(verdict: Verdict) -> list[str]:
    if verdict.broken is not None:
        return [f"the starter should import cleanly: {verdict.broken.message}"]
    return ["the starter is solved already"] if verdict.solved else []


def _judge_solution(exercise: Exercise, verdict: Verdict) -> list[tuple[str, bool]]:
    if verdict.broken is not None:
        return [(verdict.broken.message, False)]
    failed = [(_tell(check), check.timed) for check in verdict.checks if check.failure is not None]
    graded = {check.mark for check in verdict.checks}
    found = [f"a check for {mark}, which no grade of the task calls for" for mark in graded - set(exercise.marks)]
    if not failed:
        found += [f"no check for the mark {mark}" for mark in exercise.marks if mark not in graded]
    if not failed and "P" in exercise.grades and not verdict.pictures:
        found.append("a P in grades, and no picture was saved")
    return [*failed, *((what, False) for what in found)]


def _tell(check: CheckResult) -> str:
    failure = check.failure
    if failure is None:
        return check.name
    place = f" (line {failure.place.line}: {failure.place.text})" if failure.place else ""
    return f"{check.name}: {failure.message}{place}"


def _judge_right(file: Path, verdict: Verdict) -> list[tuple[str, bool]]:
    """An answer in another style must earn what its first line says."""
    head = RIGHT_HEAD.match(file.read_text(encoding="utf-8"))
    if head is None:
        return [("its first line should be `# earns: solved lean`, the marks that it must get", False)]
    refused = [mark for mark in head["marks"].split() if mark not in verdict.earned]
    if not refused:
        return []
    reasons = "; ".join(failure.message for failure in verdict.failures)
    return [(f"it should earn {' and '.join(refused)}: {reasons}", any(check.timed for check in verdict.checks))]


def _judge_wrong(file: Path, verdict: Verdict) -> list[tuple[str, bool]]:
    head = HEAD.match(file.read_text(encoding="utf-8"))
    if head is None:
        return [(NO_HEAD, False)]
    names = named_checks(head)
    if verdict.broken is not None:
        rejected = {"import": verdict.broken}
    else:
        rejected = {check.name: check.failure for check in verdict.checks if check.failure is not None}
    timed = any(check.timed for check in verdict.checks if check.name in names)
    name = next((name for name in names if name in rejected), None)
    if name is None:
        return [(f"{head['checks']} does not reject it; rejected by: {', '.join(rejected) or 'nothing'}", timed)]
    failure, phrase = rejected[name], (head["phrase"] or "").strip()
    said = f"{failure.message} {failure.teach or ''}"
    if phrase.lower() not in said.lower():
        return [(f"{name} rejects it without saying {phrase!r}; it says: {said.strip()}", timed)]
    return []


def check_files(exercise: Exercise) -> tuple[Fault, ...]:
    """What is wrong with an exercise's files, without running anything."""
    present = {path.name for path in exercise.folder.iterdir() if path.name != "__pycache__"}
    found = [f"{name} is missing" for name in sorted(FILES - present)]
    found += [f"{name} is a stray file" for name in sorted(present - FILES - OPTIONAL)]
    found = found or list(_check_syntax(exercise))
    if not found:
        checks = _check_names(exercise.folder / "grade.py")
        found = [*_check_facts(exercise), *_check_texts(exercise), *_check_wrong(exercise, checks)]
        found += promises.find_faults(exercise, checks)
    return tuple(Fault(exercise.name, what) for what in found)


def _check_syntax(exercise: Exercise) -> Iterator[str]:
    """A wrong answer may be one that Python cannot read; everything else is ours."""
    for name in ("start.py", "solution.py", "grade.py"):
        try:
            ast.parse((exercise.folder / name).read_bytes())
        except (SyntaxError, ValueError) as error:  # ValueError: a null byte
            line = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
            yield f"{name}{line}: Python cannot read it: {getattr(error, 'msg', error)}"


def _check_facts(exercise: Exercise) -> Iterator[str]:
    facts = exercise.facts
    yield from (f"task.md: unknown line {key!r} in its front matter" for key in sorted(set(facts) - KEYS))
    yield from (
        f"task.md: no {key!r} in its front matter"
        for key in ("difficulty", "minutes", "grades", "links")
        if not facts.get(key)
    )
    yield from (f"task.md: unknown grade {grade!r}" for grade in exercise.grades if grade not in GRADES)
    if facts.get("difficulty", "1") not in "12345":
        yield "task.md: difficulty is 1 to 5"
    if facts.get("pretend", "yes") not in ("yes",) and "because" not in facts["pretend"]:
        yield "task.md: `pretend: no, because …` needs its reason"


def _check_texts(exercise: Exercise) -> Iterator[str]:
    lines = exercise.task.splitlines()
    if not lines or not lines[0].startswith("# "):
        yield "task.md: should open with a # heading"
    if len(lines) > LONGEST_TASK_LINES:
        yield f"task.md: {len(lines)} lines do not fit on a screen ({LONGEST_TASK_LINES})"
    if len(exercise.hints) != HINTS:
        yield f"hints.md: {len(exercise.hints)} hints, and there should be {HINTS}, each under a ## heading"
    if "TODO" not in exercise.starter.read_text(encoding="utf-8"):
        yield "start.py: no TODO shows where to write"
    if "TODO" in exercise.solution.read_text(encoding="utf-8"):
        yield "solution.py: a TODO is left"
    for name in _public_names(exercise.solution) - _public_names(exercise.starter):
        yield f"start.py: lacks {name!r}, which the solution defines"


def _check_wrong(exercise: Exercise, own: set[str]) -> Iterator[str]:
    files = sorted((exercise.folder / "wrong").glob("*.py"))
    if len(files) < FEWEST_WRONG:
        yield f"wrong/: {len(files)} wrong answers, and there should be at least {FEWEST_WRONG}"
    checks = own | {"import"} | ({ANOTHER_DEVICE} if exercise.portable else set())
    for file in files:
        head = HEAD.match(file.read_text(encoding="utf-8"))
        if head is None:
            yield f"wrong/{file.name}: {NO_HEAD}"
            continue
        for name in named_checks(head):
            if name not in checks:
                yield f"wrong/{file.name}: names a check {name!r} that grade.py has not"


def check_ladder(exercises: Sequence[Exercise]) -> tuple[Fault, ...]:
    """What is wrong with the list as a whole."""
    names = Counter(exercise.name for exercise in exercises)
    places = Counter((exercise.chapter, exercise.folder.name[:2]) for exercise in exercises)
    twice = [Fault(name, "this name is used twice") for name, count in names.items() if count > 1]
    same = [
        Fault(f"{chapter}/{number}", "this number is used twice") for (chapter, number), n in places.items() if n > 1
    ]
    return (*twice, *same)


def _public_names(path: Path) -> set[str]:
    kinds = (ast.FunctionDef, ast.ClassDef)
    body = ast.parse(path.read_bytes()).body
    return {node.name for node in body if isinstance(node, kinds) and not node.name.startswith("_")}


def _check_names(path: Path) -> set[str]:
    body = ast.parse(path.read_bytes()).body
    return {node.name for node in body if isinstance(node, ast.FunctionDef) and node.decorator_list}


def default_jobs() -> int:
    return max(1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def new_exercise(root: Path, chapter: str, name: str) -> Path:
    """The files of a new exercise, at the end of its chapter, for an author to fill in."""
    if not re.fullmatch(r"\d\d_[a-z0-9_]+", chapter) or not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise UserError(f"{chapter}/{name} is not a place for an exercise", "write it as 03_nn lstm_cell")
    taken = [int(folder.name[:2]) for folder in (root / chapter).glob("[0-9][0-9]_*")]
    folder = root / chapter / f"{max(taken, default=0) + 1:02d}_{name}"
    (folder / "wrong").mkdir(parents=True)
    for file, text in _templates(name).items():
        (folder / file).write_text(text, encoding="utf-8")
    return folder


def _templates(name: str) -> dict[str, str]:
    link = "https://docs.pytorch.org/docs/stable/index.html"
    function = f"def {name}(x: Tensor) -> Tensor:\n"
    head = f'"""{name}."""\n\nfrom torch import Tensor\n\n\n'
    return {
        "task.md": f"---\ndifficulty: 1\nminutes: 10\ngrades: C\nlinks: {link}\n---\n# {name}\n\nThe task.\n",
        "start.py": f'{head}{function}    # TODO\n    raise NotImplementedError("{name}")\n',
        "solution.py": f"{head}{function}    return x + 1\n",
        "hints.md": "## One\nA question.\n\n## Two\nA direction.\n\n## Three\nNearly the answer.\n",
        "grade.py": _GRADE.replace("NAME", name),
        "wrong/unchanged.py": f"# rejected by: results_are_right: not\n{head}{function}    return x\n",
        "wrong/twice.py": f"# rejected by: results_are_right: not\n{head}{function}    return x + 2\n",
    }


_GRADE = '''"""Grades NAME."""

from torch import Tensor

from torchstone.learn.grading import Answer, Draw, check, expect_same


def reference(x: Tensor) -> Tensor:
    return x + 1


def vector(draw: Draw, n: int) -> Tensor:
    return draw.normal(n)


@check("solved")
def results_are_right(answer: Answer, draw: Draw) -> None:
    for x in draw.cases(vector, [1, 2, 5]):
        expect_same(answer.NAME, reference, x)
'''

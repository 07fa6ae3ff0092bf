"""Every exercise of the ladder is sound: what `learn dev check` says, one test a file, so that they run in parallel."""

import os
import random
from collections.abc import Iterator

import pytest

from torchstone.learn import authoring
from torchstone.learn.catalog import Exercise, find_exercise, find_exercises
from torchstone.learn.grader import Grader, Servers
from torchstone.processes.python import NO_FORK_VARIABLE

SEED = 2022
"""One draw for all: a check that chance can fool once in thousands must not stop a change that has nothing to do with
it. `learn dev check` draws anew each time and is where such a check is found."""
LONGEST_MINUTES = 60
MOST_ANSWERS = os.environ.get("TORCHSTONE_TRIALS", "3")
"""Of an exercise's wrong answers and as many of its right ones, by a lot that is the same in every run: all of them,
more than 5,400, would take the suite minutes more. `learn dev check` grades all, as does TORCHSTONE_TRIALS=all."""
EXERCISES = find_exercises()


def choose_trials(exercise: Exercise) -> list[authoring.Trial]:
    trials = list(authoring.trials_of(exercise))
    if MOST_ANSWERS == "all":
        return trials
    dropped: set[str] = set()
    for kind in ("wrong", "right"):
        names = [trial.name for trial in trials if trial.kind == kind]
        taken = random.Random(exercise.name).sample(names, len(names))[: int(MOST_ANSWERS)]  # fewer are a part of more
        dropped |= set(names) - set(taken)
    return [trial for trial in trials if trial.name not in dropped]


TRIALS = [trial for one in EXERCISES if authoring.can_be_graded(one) for trial in choose_trials(one)]


@pytest.fixture(scope="session")
def pretend_grader(servers: Servers) -> Iterator[Grader]:
    with Grader("pretend", servers) as one:
        yield one


def test_the_curve_is_smooth() -> None:
    """Within a chapter no exercise takes less time than the one before it, and none takes more than an hour."""
    chapters = [
        [one.minutes for one in EXERCISES if one.chapter == name] for name in {one.chapter for one in EXERCISES}
    ]
    assert all(minutes == sorted(minutes) and minutes[-1] <= LONGEST_MINUTES for minutes in chapters)


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda one: one.name)
def test_files(exercise: Exercise) -> None:
    assert authoring.check_files(exercise) == ()


@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.name)
def test_trial(trial: authoring.Trial, grader: Grader, pretend_grader: Grader) -> None:
    chosen = pretend_grader if trial.device == "pretend" else grader
    faults = authoring.run_trial(trial, chosen, SEED).faults
    # A check that asks a clock is held to its word by `learn dev check`, on a quiet machine.
    assert [fault for fault in faults if not fault.by_clock] == []


@pytest.mark.parametrize(
    ("name", "wrong", "check", "said"),
    [
        ("copies", "blocking", "nobody_waits", "makes the host wait"),
        ("copies", "waits_each", "nobody_waits", "makes the host wait"),
        ("kernel_norm", "column_by_column", "whole_rows_at_once", "loads and stores"),
    ],
)
def test_what_can_be_counted_asks_no_clock(grader: Grader, name: str, wrong: str, check: str, said: str) -> None:
    exercise = find_exercise(name, EXERCISES)
    if not authoring.can_be_graded(exercise):
        pytest.skip(f"{name} needs {', '.join(exercise.needs)}")
    file = exercise.folder / "wrong" / f"{wrong}.py"
    verdict = grader.grade(exercise, file, file.read_bytes(), SEED)
    (result,) = (one for one in verdict.checks if one.name == check)
    assert result.failure is not None
    assert said in result.failure.message
    assert not result.timed


def test_a_fresh_python_computes_gradients_on_the_pretend_device_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a Mac, where no process is forked: the device must be there before the first backward pass."""
    monkeypatch.setenv(NO_FORK_VARIABLE, "1")
    exercise = find_exercise("fit_line", EXERCISES)
    with Grader("cpu") as fresh:
        verdict = fresh.grade(exercise, exercise.solution, exercise.solution.read_bytes(), SEED)
    assert verdict.earned == exercise.marks, verdict

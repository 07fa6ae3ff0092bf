"""`learn dev`: what it finds wrong with an exercise, and that a new one is sound from the start."""

from pathlib import Path

import pytest

from torchstone.errors import UserError
from torchstone.learn import authoring
from torchstone.learn.catalog import Exercise, find_exercises
from torchstone.learn.grader import Grader


@pytest.fixture
def exercise(tmp_path: Path) -> Exercise:
    return Exercise(authoring.new_exercise(tmp_path, "01_first", "plus_one"))


def faults(exercise: Exercise) -> str:
    return "; ".join(fault.what for fault in authoring.check_files(exercise))


def trial_faults(exercise: Exercise, grader: Grader, kind: authoring.Kind, file: str) -> str:
    trial = authoring.Trial(exercise, kind, exercise.folder / file, "cpu")
    return "; ".join(fault.what for fault in authoring.run_trial(trial, grader).faults)


def test_a_new_exercise_is_sound(exercise: Exercise, grader: Grader) -> None:
    assert faults(exercise) == ""
    for trial in authoring.trials_of(exercise):
        if trial.device == "cpu":
            assert authoring.run_trial(trial, grader).faults == ()


def test_new_exercises_are_numbered_on(tmp_path: Path) -> None:
    authoring.new_exercise(tmp_path, "01_first", "one")
    assert authoring.new_exercise(tmp_path, "01_first", "two").name == "02_two"
    with pytest.raises(UserError):
        authoring.new_exercise(tmp_path, "first", "one")


def test_files_are_checked(exercise: Exercise) -> None:
    (exercise.folder / "stray.txt").write_text("")
    assert "stray.txt is a stray file" in faults(exercise)
    (exercise.folder / "stray.txt").unlink()
    (exercise.folder / "hints.md").write_text("## One\nonly one\n")
    assert "1 hints" in faults(exercise)
    (exercise.folder / "hints.md").unlink()
    assert "hints.md is missing" in faults(exercise)


@pytest.mark.parametrize("file", ["start.py", "solution.py", "grade.py"])
def test_a_file_that_python_cannot_read_is_a_fault(exercise: Exercise, file: str) -> None:
    path = exercise.folder / file
    path.write_text(path.read_text() + "\ndef broken(:\n")
    assert f"{file}, line {len(path.read_text().splitlines())}: Python cannot read it" in faults(exercise)
    path.write_bytes(b"x = 1\0")
    assert f"{file}" in faults(exercise)
    assert not authoring.can_be_graded(exercise)


def test_a_wrong_answer_may_be_one_that_python_cannot_read(exercise: Exercise) -> None:
    (exercise.folder / "wrong" / "broken.py").write_text("# rejected by: import: cannot read\ndef broken(:\n")
    assert faults(exercise) == ""


def test_a_forbidden_name_that_nobody_would_see_is_a_fault(exercise: Exercise, grader: Grader) -> None:
    grade = exercise.folder / "grade.py"
    grade.write_text(grade.read_text() + '\nFORBIDDEN = {"autograd": "Write it."}\n')
    assert "FORBIDDEN has 'autograd'" in trial_faults(exercise, grader, "solution", "solution.py")


@pytest.mark.parametrize(
    ("file", "old", "new", "fault"),
    [
        ("task.md", "minutes: 10\n", "", "no 'minutes'"),
        ("task.md", "grades: C", "grades: C Z", "unknown grade 'Z'"),
        ("task.md", "minutes: 10", "minutes: 10\ncolour: red", "unknown line 'colour'"),
        ("task.md", "minutes: 10", "minutes: 10\npretend: no", "needs its reason"),
        ("task.md", "# plus_one", "plus_one", "heading"),
        ("start.py", "TODO", "", "no TODO"),
        ("start.py", "def plus_one", "def minus_one", "lacks 'plus_one'"),
        ("solution.py", "return", "# TODO\n    return", "a TODO is left"),
        ("wrong/twice.py", "results_are_right", "no_such_check", "names a check 'no_such_check'"),
        ("wrong/twice.py", ": not\n", "\n", "wrong/twice.py: its first line should be"),
    ],
)
def test_contents_are_checked(exercise: Exercise, file: str, old: str, new: str, fault: str) -> None:
    path = exercise.folder / file
    path.write_text(path.read_text().replace(old, new))
    assert fault in faults(exercise)


def test_a_solved_starter_is_a_fault(exercise: Exercise, grader: Grader) -> None:
    exercise.starter.write_bytes(exercise.solution.read_bytes())
    assert "solved already" in trial_faults(exercise, grader, "starter", "start.py")


def test_a_failing_solution_is_a_fault(exercise: Exercise, grader: Grader) -> None:
    exercise.solution.write_text(exercise.solution.read_text().replace("x + 1", "x + 3"))
    assert "results_are_right" in trial_faults(exercise, grader, "solution", "solution.py")


def test_a_mark_without_a_check_is_a_fault(exercise: Exercise, grader: Grader) -> None:
    task = exercise.folder / "task.md"
    task.write_text(task.read_text().replace("grades: C", "grades: C M P"))
    found = trial_faults(Exercise(exercise.folder), grader, "solution", "solution.py")
    assert "no check for the mark lean" in found
    assert "no picture was saved" in found


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("x + 2", "x + 1", "results_are_right does not reject it; rejected by: nothing"),
        (": not\n", ": never said\n", "without saying 'never said'"),
        ("# rejected by", "# refused by", "its first line should be"),
        (": not\n", "\n", "its first line should be"),
        ("results_are_right: not\n", "one or other\n", "one or other does not reject it"),
    ],
)
def test_a_wrong_answer_must_be_rejected_as_it_says(
    exercise: Exercise, grader: Grader, old: str, new: str, fault: str
) -> None:
    path = exercise.folder / "wrong" / "twice.py"
    path.write_text(path.read_text().replace(old, new))
    assert fault in trial_faults(exercise, grader, "wrong", "wrong/twice.py")


def test_chance_may_decide_which_of_two_checks_rejects_it(exercise: Exercise, grader: Grader) -> None:
    path = exercise.folder / "wrong" / "twice.py"
    path.write_text(path.read_text().replace("results_are_right: not\n", "another or results_are_right\n"))
    assert trial_faults(exercise, grader, "wrong", "wrong/twice.py") == ""
    assert "names a check 'another' that grade.py has not" in faults(exercise)


def test_another_check_may_see_it_first(exercise: Exercise, grader: Grader) -> None:
    """Which one does may be chance: what counts is that the named one rejects it."""
    grade = exercise.folder / "grade.py"
    first = (
        '@check("solved")\ndef comes_first(answer: Answer, draw: Draw) -> None:\n    raise ValueError("first")\n\n\n'
    )
    grade.write_text(grade.read_text().replace('@check("solved")', first + '@check("solved")', 1))
    assert trial_faults(exercise, grader, "wrong", "wrong/twice.py") == ""
    assert "first" in trial_faults(exercise, grader, "solution", "solution.py")


def test_a_wrong_answer_to_another_mark_must_be_solved(exercise: Exercise, grader: Grader) -> None:
    grade = exercise.folder / "grade.py"
    lean = '\n\n@check("lean")\ndef is_lean(answer: Answer, draw: Draw) -> None:\n    raise ValueError("never lean")\n'
    grade.write_text(grade.read_text() + lean)
    path = exercise.folder / "wrong" / "twice.py"
    path.write_text(path.read_text().replace("results_are_right: not", "is_lean: never lean"))
    assert "is_lean does not reject it; rejected by: results_are_right" in trial_faults(
        exercise, grader, "wrong", "wrong/twice.py"
    )


def test_names_are_unique_on_the_ladder() -> None:
    assert authoring.check_ladder(find_exercises()) == ()
    one = find_exercises()[0]
    assert "used twice" in authoring.check_ladder([one, one])[0].what


TIMED = """

@check("fast")
def is_fast(answer: Answer, draw: Draw) -> None:
    expect_fast(answer.plus_one, reference, [(draw.normal(3),)], ratio=1e9, floor=0.0, budget_s=0.05)
"""


def test_what_a_clock_says_is_told_apart(exercise: Exercise, grader: Grader) -> None:
    grade = exercise.folder / "grade.py"
    grade.write_text(grade.read_text().replace("expect_same", "expect_fast, expect_same", 1) + TIMED)
    slow = exercise.folder / "wrong" / "slow.py"
    slow.write_text("# rejected by: is_fast: slow\n" + exercise.solution.read_text())
    trial = authoring.Trial(exercise, "wrong", slow, "cpu")
    (fault,) = authoring.run_trial(trial, grader).faults
    assert fault.by_clock
    assert "is_fast does not reject it" in fault.what
    slow.write_text("# rejected by: results_are_right: not\n" + exercise.solution.read_text())
    (fault,) = authoring.run_trial(trial, grader).faults
    assert not fault.by_clock


def test_a_trial_tells_the_seed_that_it_was_drawn_with(exercise: Exercise, grader: Grader) -> None:
    starter = next(authoring.trials_of(exercise))
    assert authoring.run_trial(starter, grader, seed=7).seed == 7
    assert len({authoring.run_trial(starter, grader).seed for _ in range(3)}) > 1

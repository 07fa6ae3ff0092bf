"""The process that waits for the learner's file: used where it is of use, replaced where it is not, never left over."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from torchstone.learn.catalog import Exercise
from torchstone.learn.grader import Grader, Servers
from torchstone.learn.grading_process import GradingProcess
from torchstone.processes import fork_is_safe
from torchstone.processes.python import NO_FORK_VARIABLE

NAME = "01_first_tensors.py"


@pytest.fixture(scope="module")
def may_fork() -> Iterator[None]:
    """Where everything is started anew, nothing waits."""
    with pytest.MonkeyPatch.context() as allowed:
        allowed.delenv(NO_FORK_VARIABLE, raising=False)
        if not fork_is_safe():
            pytest.skip("no fork is safe here")
        yield


@pytest.fixture(scope="module")
def warm(may_fork: None) -> Iterator[Grader]:
    with Grader("cpu") as one:
        yield one


@pytest.fixture(scope="module")
def many(may_fork: None) -> Iterator[Grader]:
    with Grader("cpu", many=True) as one:
        yield one


@pytest.fixture
def copied(first_tensors: Exercise, tmp_path: Path) -> Exercise:
    """An exercise whose checks may be changed."""
    folder = tmp_path / "01_tensors" / first_tensors.folder.name
    shutil.copytree(first_tensors.folder, folder)
    return Exercise(folder)


def waiting(grader: Grader) -> GradingProcess:
    assert grader._ready is not None
    return grader._ready


def wait_until_begun(grader: Grader) -> GradingProcess:
    process = waiting(grader)
    while not process.has_begun:
        process._handle.receive(0.1)
    return process


def solve(grader: Grader, exercise: Exercise, folder: Path) -> bool:
    return grader.grade(exercise, folder / NAME, exercise.solution.read_bytes()).solved


def test_a_file_is_graded_by_the_process_that_waits(warm: Grader, first_tensors: Exercise, tmp_path: Path) -> None:
    warm.start(first_tensors)
    ready = waiting(warm)
    warm.start(first_tensors)
    assert waiting(warm) is ready
    verdict = warm.grade(first_tensors, tmp_path / NAME, b"print('here')\n" + first_tensors.solution.read_bytes(), 7)
    assert (verdict.solved, verdict.output, verdict.seed) == (True, "here\n", 7)
    assert warm._ending is ready
    assert warm._ready is None


def test_each_process_grades_one_file(warm: Grader, first_tensors: Exercise, tmp_path: Path) -> None:
    left = b"import builtins\nbuiltins.left_behind = 1\n" + first_tensors.solution.read_bytes()
    looks = b"import builtins\nassert not hasattr(builtins, 'left_behind')\n" + first_tensors.solution.read_bytes()
    for source in (left, looks):
        warm.start(first_tensors)
        assert warm.grade(first_tensors, tmp_path / NAME, source).solved


def test_one_that_was_killed_is_replaced(warm: Grader, first_tensors: Exercise, tmp_path: Path) -> None:
    warm.start(first_tensors)
    handle = wait_until_begun(warm)._handle
    psutil.Process(handle.process).kill()
    psutil.Process(handle.process).wait()
    assert solve(warm, first_tensors, tmp_path)


def test_checks_that_have_changed_are_read_again(warm: Grader, copied: Exercise, tmp_path: Path) -> None:
    warm.start(copied)
    before = waiting(warm)
    with (copied.folder / "grade.py").open("a") as file:
        file.write(
            "\n\n@check('solved')\ndef never(answer: Answer, draw: Draw) -> None:\n    raise ValueError('new')\n"
        )
    verdict = warm.grade(copied, tmp_path / NAME, copied.solution.read_bytes())
    assert [check.name for check in verdict.checks if not check.passed] == ["never"]
    assert warm._ending is not before


def test_another_exercise_gets_another_process(
    warm: Grader, first_tensors: Exercise, copied: Exercise, tmp_path: Path
) -> None:
    warm.start(copied)
    assert solve(warm, first_tensors, tmp_path)
    assert warm._ready is None


def test_going_on_to_another_exercise_waits_for_nothing(
    may_fork: None, first_tensors: Exercise, copied: Exercise
) -> None:
    with Grader("cpu") as grader:
        grader.start(copied)
        early = waiting(grader)
        grader.start(first_tensors)
        assert waiting(grader) is early or early._handle.outcome is not None
        wait_until_begun(grader)
        grader.start(first_tensors)
        assert waiting(grader).exercise == first_tensors


def test_nothing_is_left_at_the_end(may_fork: None, first_tensors: Exercise, tmp_path: Path) -> None:
    before = set(psutil.Process().children(recursive=True))
    with Grader("cpu") as grader:
        grader.start(first_tensors)
        assert solve(grader, first_tensors, tmp_path)
        grader.start(first_tensors)
        folder = waiting(grader).journal.path.parent
        assert folder.is_dir()
    assert not folder.exists()
    assert set(psutil.Process().children(recursive=True)) <= before
    grader.start(first_tensors)
    assert grader._ready is None


def test_graders_share_what_takes_long_to_start(may_fork: None, first_tensors: Exercise, tmp_path: Path) -> None:
    before = set(psutil.Process().children())
    servers = Servers()
    try:
        with Grader("cpu", servers) as one, Grader("cpu", servers) as other:
            assert solve(one, first_tensors, tmp_path)
            one.close()
            assert solve(other, first_tensors, tmp_path)
            assert len(set(psutil.Process().children()) - before) == 1
    finally:
        servers.close()
    assert set(psutil.Process().children()) <= before


def test_a_full_disk_is_told_with_the_verdict(
    may_fork: None, first_tensors: Exercise, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object, **kwargs: object) -> str:
        raise OSError(28, os.strerror(28))

    with Grader("cpu") as grader:
        monkeypatch.setattr("tempfile.mkdtemp", refuse)
        grader.start(first_tensors)
        assert grader._ready is None
        with pytest.raises(OSError, match="No space"):
            solve(grader, first_tensors, tmp_path)


class TestManyFiles:
    """Of one exercise: a process that forks itself for each."""

    def test_one_process_grades_them_and_none_meets_what_another_left(
        self, many: Grader, first_tensors: Exercise, tmp_path: Path
    ) -> None:
        solution = first_tensors.solution.read_bytes()
        leaves = b"import builtins\nbuiltins.left = 1\nopen('left', 'w')\nprint('left')\n"
        looks = b"import builtins, os\nassert not hasattr(builtins, 'left')\nprint(os.listdir())\n"
        first = many.grade(first_tensors, tmp_path / NAME, leaves + solution)
        process = waiting(many)
        second = many.grade(first_tensors, tmp_path / NAME, looks + solution)
        assert waiting(many) is process
        assert (first.solved, first.output) == (True, "left\n")
        assert second.solved
        assert "left" not in second.output

    @pytest.mark.parametrize(
        ("ends", "told"), [(b"os._exit(3)", "exited with code 3"), (b"os.kill(os.getpid(), 11)", "SIGSEGV")]
    )
    def test_a_file_that_ends_its_process_is_told_and_the_next_is_graded(
        self, many: Grader, first_tensors: Exercise, tmp_path: Path, ends: bytes, told: str
    ) -> None:
        assert solve(many, first_tensors, tmp_path)
        verdict = many.grade(first_tensors, tmp_path / NAME, b"import os\n" + ends)
        assert verdict.broken is not None
        assert told in verdict.broken.message
        assert many._ready is None
        assert solve(many, first_tensors, tmp_path)

    def test_what_a_file_has_started_ends_with_it(self, many: Grader, first_tensors: Exercise, tmp_path: Path) -> None:
        starts = b"import subprocess\nprint(subprocess.Popen(['sleep', '999'], start_new_session=True).pid)\n"
        verdict = many.grade(first_tensors, tmp_path / NAME, starts + first_tensors.solution.read_bytes())
        assert solve(many, first_tensors, tmp_path)
        assert not psutil.pid_exists(int(verdict.output.splitlines()[0]))

    def test_another_exercise_gets_another_process(
        self, many: Grader, first_tensors: Exercise, copied: Exercise, tmp_path: Path
    ) -> None:
        assert solve(many, first_tensors, tmp_path)
        process = waiting(many)
        assert solve(many, copied, tmp_path)
        assert waiting(many) is not process
        assert not psutil.pid_exists(process._handle.process or 0)

"""What bad input gets: always a sentence, never a traceback, and the next verdict is none the worse."""

import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from torchstone.learn import grader as grader_module
from torchstone.learn.catalog import Exercise
from torchstone.learn.grader import SOURCE_LIMIT_BYTES, Grader
from torchstone.learn.verdicts import Failure, Verdict


def call(body: str, imports: str = "") -> str:
    return f"{imports}\ndef to_planes(image):\n    {body}\n"


BAD: dict[str, tuple[str | bytes, str]] = {
    "syntax error": ("def to_planes(image:\n    return 1\n", "Python cannot read the file: '(' was never closed"),
    "empty file": ("", "your file has no 'to_planes' any more"),
    "renamed function": ("def to_plane(image):\n    return image\n", "your file has no 'to_planes' any more"),
    "endless loop": (call("while True: pass"), "did not end within 1 s"),
    "endless import": ("while True: pass\n", "did not end within 1 s"),
    "sys.exit": (call("sys.exit(0)", "import sys"), "your code called exit(0)"),
    "sys.exit at import": ("import sys\nsys.exit(3)\n", "your code called exit(3)"),
    "os._exit": (call("os._exit(0)", "import os"), "your code ended the program"),
    "killed": (call("os.kill(os.getpid(), 9)", "import os"), "killed by SIGKILL"),
    "crash": (call("ctypes.string_at(0)", "import ctypes"), "killed by SIGSEGV"),
    "server killed": (call("os.kill(os.getppid(), 9); time.sleep(9)", "import os, time"), "ended"),
    "fork bomb": (call("while True: os.fork()", "import os"), "more than 64 processes"),
    "fork bomb in sessions": (
        call("while os.fork() >= 0: os.getpid() == os.getsid(0) or os.setsid()", "import os"),
        "more than 64 processes",
    ),
    "50 GB": (call("return torch.ones(50 * 2**28)", "import torch"), "more memory than it may have"),
    "not UTF-8": (b"# caf\xe9\n", "not UTF-8 text: byte 0xe9 in line 1"),
    "null bytes": (b"x = \x00\n", "cannot contain null bytes"),
    "huge file": (b"#" * (SOURCE_LIMIT_BYTES + 1), "more than anyone would write by hand"),
    "patched torch": ("import torch\ntorch.allclose = lambda *a: True\n", "your code replaced torch.allclose"),
    "patched tensor": ("import torch\ntorch.Tensor.__eq__ = lambda *a: True\n", "replaced torch.Tensor.__eq__"),
    "patched clock": ("import time\ntime.perf_counter = lambda: 0.0\n", "your code replaced time.perf_counter"),
    "patched grading": (
        "import torchstone.learn.grading.comparing as c\nc.expect_close = lambda *a, **k: None\n",
        "reaches into the grader: torchstone.learn.grading",
    ),
    "default dtype": ("import torch\ntorch.set_default_dtype(torch.float64)\n", "left torch's default dtype at"),
    "gradients off": ("import torch\ntorch.set_grad_enabled(False)\n", "left torch's gradient mode at False"),
    "thread left running": (
        call("threading.Thread(target=time.sleep, args=(99,)).start()", "import threading, time"),
        "is None",
    ),
    "wrong signature": ("def to_planes():\n    return 1\n", "the checks call it as the task says"),
    "weird exception": (
        "class E(BaseException):\n    def __str__(self): raise ValueError\ndef to_planes(image):\n    raise E\n",
        "E: (its message cannot be shown)",
    ),
    "closed files": ("import os\nos.closerange(0, 99)\n" + call("return 1"), "is a int"),
    "not a tensor": (call("return 10**5000"), "returned"),
    "missing module": ("import no_such_module\n", "No module named 'no_such_module'"),
}


@pytest.fixture
def hurried(first_tensors: Exercise) -> Exercise:
    """An exercise with a short time limit."""
    first_tensors.facts["seconds"] = "1"
    return first_tensors


def grade(grader: Grader, exercise: Exercise, source: str | bytes, folder: Path) -> Verdict:
    content = source if isinstance(source, bytes) else source.encode()
    return grader.grade(exercise, folder / "01_first_tensors.py", content)


def first_failure(verdict: Verdict) -> Failure:
    assert verdict.failures, verdict
    return verdict.failures[0]


@pytest.mark.parametrize("name", BAD)
def test_bad_answer_gets_a_sentence(grader: Grader, hurried: Exercise, tmp_path: Path, name: str) -> None:
    source, sentence = BAD[name]
    if "did not end" not in sentence:
        hurried.facts["seconds"] = "30"
    verdict = grade(grader, hurried, source, tmp_path)
    failure = first_failure(verdict)
    assert sentence in failure.message
    assert "Traceback" not in failure.message
    assert verdict.earned == ()


def test_the_next_verdict_is_right_after_all_that(grader: Grader, hurried: Exercise, tmp_path: Path) -> None:
    grade(grader, hurried, str(BAD["server killed"][0]), tmp_path)
    hurried.facts["seconds"] = "10"
    assert grade(grader, hurried, hurried.solution.read_bytes(), tmp_path).solved


def test_where_it_stood_when_time_was_over(grader: Grader, hurried: Exercise, tmp_path: Path) -> None:
    verdict = grade(grader, hurried, call("time.sleep(99)", "import time"), tmp_path)
    failure = first_failure(verdict)
    assert failure.place is not None
    assert failure.place.text == "time.sleep(99)"


def test_nothing_is_left_running(grader: Grader, hurried: Exercise, tmp_path: Path) -> None:
    marker = tmp_path / "pid"
    source = call(
        f"if os.fork() == 0:\n        os.setsid()\n        open({str(marker)!r}, 'w').write(str(os.getpid()))\n"
        "        time.sleep(99)\n    time.sleep(0.2)",
        "import os, time",
    )
    grade(grader, hurried, source, tmp_path)
    grade(grader, hurried, "", tmp_path)  # the server ends what is left before it takes the next one
    left = int(marker.read_text())
    deadline = time.monotonic() + 5
    while psutil.pid_exists(left) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not psutil.pid_exists(left)


def test_output_is_shown_and_bounded(grader: Grader, hurried: Exercise, tmp_path: Path) -> None:
    hurried.facts["seconds"] = "20"
    verdict = grade(grader, hurried, "print('hello')\nfor _ in range(1024):\n    print('x' * 2**20)\n", tmp_path)
    assert verdict.output.startswith("hello\nxxx")
    assert verdict.output_cut
    assert len(verdict.output) < 100_000


def test_a_relative_path_does_not_reach_the_learners_folder(grader: Grader, hurried: Exercise, tmp_path: Path) -> None:
    grade(grader, hurried, "open('junk.txt', 'w').close()\n", tmp_path)
    assert not (tmp_path / "junk.txt").exists()


def test_marks_earned_before_a_crash_are_kept(grader: Grader, tmp_path: Path) -> None:
    from torchstone.learn.catalog import find_exercise, find_exercises

    views = find_exercise("views", find_exercises())
    source = views.solution.read_text().replace(
        "    return image.unflatten",
        "    if image.numel() == 216:\n        import os; os._exit(1)\n    return image.unflatten",
    )
    verdict = grade(grader, views, source, tmp_path)
    assert verdict.earned == ("solved",)
    assert "ended the program" in first_failure(verdict).message


def test_missing_package_is_told(grader: Grader, first_tensors: Exercise, tmp_path: Path) -> None:
    first_tensors.facts["needs"] = "no_such_package"
    failure = first_failure(grade(grader, first_tensors, "", tmp_path))
    assert "pip install no_such_package" in (failure.teach or "")


def test_processes_that_an_answer_forks_do_not_vote(grader: Grader, hurried: Exercise, tmp_path: Path) -> None:
    forking = hurried.solution.read_text().replace(
        "    return image.permute",
        "    import os\n    if os.fork() == 0:\n        return None\n    return image.permute",
        1,
    )
    hurried.facts["seconds"] = "10"
    assert grade(grader, hurried, forking, tmp_path).solved


@pytest.fixture(scope="module")
def spawning() -> Iterator[Grader]:
    """A grader on a machine where forking is not safe: Python starts anew for each verdict."""
    with pytest.MonkeyPatch.context() as patch, Grader("cpu") as one:
        patch.setattr(grader_module, "fork_is_safe", lambda kind="cpu": False)
        yield one


def test_without_fork_a_verdict_is_the_same(spawning: Grader, first_tensors: Exercise, tmp_path: Path) -> None:
    verdict = grade(spawning, first_tensors, first_tensors.solution.read_bytes(), tmp_path)
    assert verdict.solved


def test_without_fork_the_time_limit_holds(spawning: Grader, hurried: Exercise, tmp_path: Path) -> None:
    failure = first_failure(grade(spawning, hurried, call("while True: pass"), tmp_path))
    assert "did not end within 1 s" in failure.message
    assert failure.place is not None

"""One process that grades one file: it gets ready before there is a file, so that nobody waits for that.

A fork, the exercise's checks and what guards them take some 40 ms, as long as many a grading. None of it needs the
learner's file, so watch mode starts the next process when a verdict has come. A verdict is taken when it is sent: the
end of the process, another 10 ms, comes after it, and `close` sees to that. What grades many files of one exercise
has one process for them all, which forks itself for each (`grading_child`).
"""

import importlib
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from torchstone.files import temporary_folder
from torchstone.learn.catalog import Exercise
from torchstone.learn.journal import Journal
from torchstone.learn.verdicts import Verdict
from torchstone.processes import ForkServer, Limits, Outcome, start

if TYPE_CHECKING:
    from torchstone.processes import Channel

START_UP_S = 60.0
"""What a newly started Python may take to import torch, on top of the exercise's own time."""


class GradingProcess:
    """Grades one file of one exercise, or many; forked from the server given, or started anew for one."""

    def __init__(
        self, exercise: Exercise, device: str, preload: tuple[str, ...], server: ForkServer | None, many: bool = False
    ) -> None:
        self.exercise = exercise
        self.takes_more = many and server is not None
        """Whether it can be asked again after a verdict."""
        self._printed = 0
        """What was told of its output, in characters."""
        self._stamp = _stamp(exercise)
        with ExitStack() as opened:
            scratch = opened.enter_context(temporary_folder("learn"))
            self.journal = Journal(scratch)
            fields = _fields(exercise, device, scratch, ends_itself=server is None)
            call = partial(_judge, preload, fields, self.takes_more)
            limits = Limits(exercise.time_limit_s + (START_UP_S if server is None else 0.0), exercise.memory_bytes)
            self._handle = start(call, limits=limits, forked=server, talks=True, receives=Verdict)
            opened.enter_context(self._handle)
            self._opened = opened.pop_all()

    @property
    def has_begun(self) -> bool:
        """Not while its server still imports torch."""
        self._handle.restart_clock()
        return self._handle.process is not None

    def is_ready_for(self, exercise: Exercise) -> bool:
        """Whether it lives, and would grade by the checks as they are now."""
        self._handle.restart_clock()
        self._handle.receive(0.0)
        is_ours = exercise == self.exercise and _stamp(exercise) == self._stamp
        return is_ours and self._handle.outcome is None and _is_alive(self._handle.process)

    def grade(self, path: Path, source: bytes, seed: int, only: tuple[str, ...] = ()) -> Verdict | Outcome:
        """The verdict, or how the process ended without one."""
        self._handle.restart_clock()
        self._handle.send({"path": path, "source": source, "seed": seed, "only": only})
        verdict: Verdict | None = self._handle.receive(None)
        if verdict is None:
            return self._handle.wait()
        output, output_cut = self._handle.take_output()
        before, self._printed = self._printed, len(output)
        return msgspec.structs.replace(
            verdict, output=output[before:], output_cut=output_cut, seconds=self._handle.seconds
        )

    def close(self) -> None:
        """End it, whatever it does, and remove its folder."""
        self._opened.close()


def _is_alive(process: int | None) -> bool:
    """Also where whoever started it has not yet told of its end; one that has not begun is on its way."""
    import psutil

    try:
        return process is None or psutil.Process(process).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _stamp(exercise: Exercise) -> tuple[int, int]:
    """Changes when an author saves the checks."""
    found = (exercise.folder / "grade.py").stat()
    return found.st_mtime_ns, found.st_size


def _fields(exercise: Exercise, device: str, scratch: Path, ends_itself: bool) -> dict[str, Any]:
    """Of a `Job`, whose module imports torch."""
    return {
        "exercise": exercise.name,
        "grade": exercise.folder / "grade.py",
        "device": device,
        "offered": exercise.marks,
        "scratch": scratch,
        "time_limit_s": exercise.time_limit_s,
        "ends_itself": ends_itself,
        "portable": exercise.portable,
    }


def _judge(preload: tuple[str, ...], fields: dict[str, Any], many: bool, channel: "Channel") -> None:
    """What a server of forks holds already, a fresh Python takes in first: after the first backward pass the pretend
    device could not compute gradients any more."""
    for name in preload:
        importlib.import_module(name)
    from torchstone.learn.grading_child import judge_each_in_a_fork, judge_when_asked
    from torchstone.learn.judging import Job

    judge = judge_each_in_a_fork if many else judge_when_asked
    judge(Job(**fields), channel)

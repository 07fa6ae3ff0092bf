"""The fresh processes in which files are graded, seen from outside: asks for a verdict and always gets one.

Where forking is safe a server with torch loaded forks a process for each verdict; elsewhere (Metal, CUDA, macOS)
Python starts anew. A process that was killed, ran too long or left by itself still gives a verdict: what its journal
holds, and one sentence on how it ended.
"""

import contextlib
import importlib.util
import os
import sys
import threading
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from torchstone.errors import UserError
from torchstone.learn.catalog import Exercise
from torchstone.learn.grading_process import GradingProcess
from torchstone.learn.journal import Journal
from torchstone.learn.verdicts import CheckResult, Failure, Place, Verdict
from torchstone.processes import SERVER_ENDED, ForkServer, Outcome, fork_is_safe, run_spawned

PRELOAD = (
    "torch",
    "torch.fx.experimental.symbolic_shapes",
    "torch._dynamo",
    "torch.func",
    "torchstone.learn.grading_child",
)
"""Also what the first gradient, optimizer or vmap would import, for a second or more: not in the learner's time."""
PRETEND = "torchstone.learn.with_pretend"
SOURCE_LIMIT_BYTES = 1_000_000
"""No exercise needs a megabyte; a file that large is not one that a person wrote."""


class Servers:
    """The processes that grading forks from, one for each set of modules that it must hold.

    One takes seconds to start, so graders that work side by side share them.
    """

    def __init__(self) -> None:
        self._by_preload: dict[tuple[str, ...], ForkServer] = {}
        self._changing = threading.Lock()

    def get(self, preload: tuple[str, ...]) -> ForkServer:
        """The one with these modules, started where there is none."""
        with self._changing:
            if preload not in self._by_preload:
                self._by_preload[preload] = ForkServer(preload)
            return self._by_preload[preload]

    def close(self) -> None:
        """End them and what runs in them."""
        with self._changing:
            for server in self._by_preload.values():
                server.close()
            self._by_preload.clear()

    def __bool__(self) -> bool:
        return bool(self._by_preload)


class Grader:
    """Gives verdicts. Use as a context manager: it may hold processes."""

    def __init__(self, device: str | None = None, servers: Servers | None = None, many: bool = False) -> None:
        """Servers that are handed in are used and left open. With `many` it keeps the process that has got ready for an
        exercise until a file of another one comes."""
        self._many = many
        self._wanted = device
        self._device: str | None = None if device is None else device
        self._servers = Servers() if servers is None else servers
        self._closes_servers = servers is None
        self._closed = False
        self._one_at_a_time = threading.Lock()
        self._ready: GradingProcess | None = None
        """Waits for the next file."""
        self._ending: GradingProcess | None = None
        """Has told its verdict."""

    def __enter__(self) -> "Grader":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._closed = True
        if self._closes_servers:
            self._servers.close()
        for process in (self._ready, self._ending):
            if process is not None:
                process.close()
        self._ready = self._ending = None

    def cancel(self) -> None:
        """End the grading that another thread waits for: its process is killed, the server stays warm."""
        import psutil

        for child in psutil.Process().children():
            with contextlib.suppress(psutil.NoSuchProcess):
                for graded in child.children(recursive=True) if self._servers else [child]:
                    with contextlib.suppress(psutil.NoSuchProcess):
                        graded.kill()

    def start(self, exercise: Exercise | None = None) -> None:
        """Start what the next verdict needs, so that it need not wait for it; returns at once."""
        if self._closed or not fork_is_safe():
            return
        self._servers.get(self._preload(exercise))
        if exercise is None or self._device is None or not self._forks() or missing_packages(exercise):
            return
        if self._one_at_a_time.acquire(blocking=False):  # else a verdict is on its way, after which this is called
            try:
                self._get_ready(exercise)
            except OSError:  # a full disk, no more processes: told when a verdict is asked for
                pass
            finally:
                self._one_at_a_time.release()

    def _get_ready(self, exercise: Exercise) -> None:
        self._end_last()
        if self._ready is not None and self._ready.has_begun and not self._ready.is_ready_for(exercise):
            self._drop_ready()  # one that has not begun would keep us waiting for its end
        if self._ready is None:
            self._ready = self._start_process(exercise)

    def _end_last(self) -> None:
        process, self._ending = self._ending, None
        if process is not None:
            process.close()

    def _drop_ready(self) -> None:
        process, self._ready = self._ready, None
        if process is not None:
            process.close()

    def _start_process(self, exercise: Exercise) -> GradingProcess:
        preload = self._preload(exercise)
        server = self._servers.get(preload) if self._forks() else None
        return GradingProcess(exercise, self.device, preload, server, self._many)

    @property
    def device(self) -> str:
        """The device that is graded: the one asked for, or the best one here."""
        if self._device is None:
            self._device = self._ask(_best_device)
        return self._device

    def check_device(self) -> None:
        """Refuse a device that is not here, in the words of `torchstone devices`."""
        if self._wanted not in (None, "cpu", "pretend"):
            self._device = self._ask(partial(_find_device, self._wanted))

    def _ask(self, question: Any) -> str:
        outcome = self._servers.get(PRELOAD).run(question) if fork_is_safe() else run_spawned(question)
        outcome.raise_user_error()
        if outcome.ended != "returned":
            raise UserError(
                f"torch cannot say which devices are here: {outcome.detail.strip().splitlines()[-1]}",
                "`torchstone devices` shows more, `--device cpu` goes without",
            )
        return str(outcome.value)

    def grade(
        self, exercise: Exercise, path: Path, source: bytes, seed: int | None = None, only: tuple[str, ...] = ()
    ) -> Verdict:
        """One verdict on these bytes as the learner's answer to the exercise; by the checks of these names alone, where
        some are named."""
        missing = missing_packages(exercise)
        if missing:
            return _broken(exercise, self.device, _explain_missing(missing))
        if len(source) > SOURCE_LIMIT_BYTES:
            failure = Failure(message=f"the file has {len(source):,} bytes, more than anyone would write by hand")
            return _broken(exercise, self.device, failure)
        if seed is None:
            seed = int.from_bytes(os.urandom(4), "big")
        with self._one_at_a_time:
            self._end_last()
            self._ending = process = self._take_process(exercise)
            told = process.grade(path, source, seed, only)
            if isinstance(told, Verdict):
                if process.takes_more:
                    self._ready, self._ending = process, None
                return told
            verdict = _verdict_without_end(exercise, self.device, told, process.journal, path, source)
        return msgspec.structs.replace(
            verdict, output=told.output, output_cut=told.output_cut, seconds=told.seconds, seed=seed
        )

    def _take_process(self, exercise: Exercise) -> GradingProcess:
        """The one that waits, where it is of use."""
        if self._ready is not None and self._ready.is_ready_for(exercise):
            process, self._ready = self._ready, None
            return process
        self._drop_ready()
        return self._start_process(exercise)

    def _forks(self) -> bool:
        return fork_is_safe(self.device.split(":")[0])

    def _preload(self, exercise: Exercise | None) -> tuple[str, ...]:
        """What the server must hold; exercises that ask for the same share one."""
        extra = set(exercise.preload) if exercise is not None else set()
        if self._wanted == "pretend" or (exercise is not None and exercise.portable):
            extra.add(PRETEND)
        # The extras first: Triton's interpreter has to be chosen before torch._dynamo imports Triton.
        return (*sorted(extra - set(PRELOAD)), *PRELOAD)


def _best_device() -> str:
    from torchstone.backends import best_device

    return best_device()[1].id


def _find_device(wanted: str) -> str:
    from torchstone.backends import find_device

    return find_device(wanted)[1].id


def missing_packages(exercise: Exercise) -> tuple[str, ...]:
    """What the exercise needs and is not installed."""
    return tuple(name for name in exercise.needs if importlib.util.find_spec(name) is None)


def _explain_missing(packages: tuple[str, ...]) -> Failure:
    return Failure(
        message=f"this exercise needs {', '.join(packages)}, which is not installed",
        teach=f"Install it with `pip install {' '.join(packages)}`, or leave this exercise out.",
    )


def _broken(exercise: Exercise, device: str, failure: Failure) -> Verdict:
    return Verdict(exercise=exercise.name, device=device, offered=exercise.marks, broken=failure)


def _verdict_without_end(
    exercise: Exercise, device: str, outcome: Outcome, journal: Journal, path: Path, source: bytes
) -> Verdict:
    """What the journal holds, and one failure that says how the process ended."""
    remains = journal.read()
    if outcome.detail == SERVER_ENDED and remains.running is None:
        raise UserError(
            "the process that grades could not start",
            f"`{Path(sys.executable).name} -c 'import {PRELOAD[-1]}'` shows why",
        )
    failure = _explain_end(exercise, outcome, journal, path, source)
    if remains.running is None or remains.running.mark is None:
        return _broken(exercise, device, failure)
    last = CheckResult(name=remains.running.name, mark=remains.running.mark, passed=False, failure=failure)
    return Verdict(exercise=exercise.name, device=device, offered=exercise.marks, checks=(*remains.finished, last))


def _explain_end(exercise: Exercise, outcome: Outcome, journal: Journal, path: Path, source: bytes) -> Failure:
    place = _place(journal.stuck_line(path), source)
    ran_too_long = journal.was_traced()
    if outcome.ended == "timed_out" or (outcome.ended == "exited" and ran_too_long):
        return Failure(
            message=f"it did not end within {exercise.time_limit_s:g} s and was stopped",
            place=place,
            teach="Is there a loop whose condition never changes, or much more work than needed?",
        )
    if outcome.ended == "out_of_memory":
        return Failure(
            message="it asked for more memory than it may have",
            place=place,
            teach="Look for the tensor that grows with the product of two lengths.",
        )
    if outcome.ended == "killed":
        return Failure(
            message=f"the process was {outcome.detail}",
            place=place,
            teach="A crash in native code, or the system ran out of memory: what ran last?",
        )
    if outcome.ended == "exited":
        return Failure(
            message=f"your code ended the program: it {outcome.detail}",
            place=place,
            teach="A function hands its result back with return; exit ends the whole program.",
        )
    last = outcome.detail.strip().splitlines()[-1] if outcome.detail.strip() else "no reason given"
    return Failure(
        message=f"grading itself failed: {last}",
        teach="That is a fault of this exercise and not yours: please report it.",
    )


def _place(line: int | None, source: bytes) -> Place | None:
    lines = source.decode("utf-8", "replace").splitlines()
    return Place(line=line, text=lines[line - 1].strip()) if line and line <= len(lines) else None

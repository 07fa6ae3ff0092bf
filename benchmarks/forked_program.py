"""`torchstone …` in a process forked from one that has torch loaded: as a person would run it, without the two seconds.

What would make a start differ stays a fresh start: see `can_be_forked`. The program's first server of forks is forked
before a line of the program has run, for the same reason; everything else that it starts is started as ever.
"""

import atexit
import contextlib
import functools
import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

from torchstone.processes import ForkServer, Limits, fork_is_safe, serving, starting
from torchstone.processes.python import NO_FORK_VARIABLE

PRELOAD = ("torch", "rich.console", "msgspec", "jinja2", "click", "psutil", "PIL.Image")
"""Nothing of ours: the registries read variables when they are imported."""
THREADS_VARIABLE = "OMP_NUM_THREADS"
"""Read when torch is loaded, so a server of its own holds each value."""
PATH_VARIABLE = "PYTHONPATH"
READ_AT_START = ("PYTHON", "PYTORCH", "TORCH_", "OMP_", "MKL_", "KMP_", "GOMP_", "LD_", "TRITON")
"""Beginnings of names of variables that Python and torch read while they start."""
STEP_S = 0.01


def can_be_forked(arguments: tuple[str, ...], environment: Mapping[str, str]) -> bool:
    """Not where the start would differ, nor for a device whose runtime may not survive it."""
    read = {name for name in environment if name.startswith(READ_AT_START)} - {THREADS_VARIABLE, PATH_VARIABLE}
    forbidden = bool(read) or NO_FORK_VARIABLE in environment or "vulkan" in arguments
    return fork_is_safe() and not forbidden and not _hides_a_module(environment.get(PATH_VARIABLE, ""))


def _hides_a_module(path: str) -> bool:
    """Whether a folder on this path holds what stands for a package that a warm process has loaded already."""
    loaded = {name.partition(".")[0] for name in (*PRELOAD, "numpy")} | sys.stdlib_module_names
    folders = [Path(folder) for folder in path.split(os.pathsep) if folder]
    return any(file.stem in loaded for folder in folders if folder.is_dir() for file in folder.iterdir())


class WarmPrograms:
    """Servers with torch loaded, one for each number of threads; started when first asked for."""

    def __init__(self) -> None:
        self._servers: dict[str | None, ForkServer] = {}

    def close(self) -> None:
        for server in self._servers.values():
            server.close()
        self._servers.clear()

    def run(
        self, arguments: tuple[str, ...], environment: dict[str, str], seconds: float
    ) -> "subprocess.CompletedProcess[str]":
        """With all of this environment, and no more; in the current folder."""
        server = self._server(environment.get(THREADS_VARIABLE))
        with tempfile.TemporaryDirectory(prefix="program-") as name:
            out, err = Path(name) / "out", Path(name) / "err"
            path = fresh_path(environment.get(PATH_VARIABLE, ""))
            call = functools.partial(run_program, arguments, environment, str(Path.cwd()), path, str(out), str(err))
            outcome = server.run(call, Limits(seconds=seconds))
            texts = [file.read_text(encoding="utf-8") if file.exists() else "" for file in (out, err)]
        if outcome.ended == "timed_out":
            raise subprocess.TimeoutExpired(["torchstone", *arguments], seconds, *texts)
        if outcome.ended != "returned":
            raise ChildProcessError(f"torchstone {' '.join(arguments)} {outcome.ended}: {outcome.detail}\n{texts[1]}")
        return subprocess.CompletedProcess(["torchstone", *arguments], outcome.value, *texts)

    def _server(self, threads: str | None) -> ForkServer:
        if threads not in self._servers:
            before = os.environ.get(THREADS_VARIABLE)
            _set(THREADS_VARIABLE, threads)
            try:
                self._servers[threads] = ForkServer(PRELOAD)
            finally:
                _set(THREADS_VARIABLE, before)
        return self._servers[threads]


def _set(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


@functools.cache
def fresh_path(path: str) -> list[str]:
    """`sys.path` of a Python that is started with this PYTHONPATH; whoever asks may have added to its own."""
    code = "import sys, json; print(json.dumps(sys.path[1:]))"
    variables = {**os.environ, PATH_VARIABLE: path}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=variables, check=True)
    found: list[str] = json.loads(done.stdout)
    return found


def run_program(
    arguments: tuple[str, ...], environment: dict[str, str], folder: str, path: list[str], out: str, err: str
) -> int:
    """In a forked process: what `python -m torchstone` does, and its exit code."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:] = [folder, *path]  # as `python -m` begins, with the current folder first
    _write_to(out, err)
    with serve_early(path):
        sys.argv = ["torchstone", *arguments]
        return _main()


def _write_to(out: str, err: str) -> None:
    for descriptor, file in ((1, out), (2, err)):
        opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(opened, descriptor)
        os.close(opened)
    sys.stdout = sys.__stdout__ = open(1, "w", encoding="utf-8", closefd=False)  # type: ignore[misc]  # noqa: SIM115
    sys.stderr = sys.__stderr__ = open(  # type: ignore[misc]  # noqa: SIM115
        2, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False
    )


def _main() -> int:
    from torchstone.cli import main

    try:
        main()
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else int(left.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = 1
    else:
        code = 0
    threading._shutdown()  # type: ignore[attr-defined]  # as Python ends: no thread that is to be waited for is left
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            stream.flush()
    return code


# The program's first server of forks.


@dataclass
class Served:
    """A forked server, with what the program asks of one that it has started."""

    pid: int
    returncode: int | None = None

    def wait(self, timeout: float | None = None) -> int:
        deadline = time.monotonic() + (timeout if timeout is not None else float("inf"))
        while self.returncode is None:
            process, status = os.waitpid(self.pid, os.WNOHANG)
            if process:
                self.returncode = os.waitstatus_to_exitcode(status)
            elif time.monotonic() > deadline:
                raise subprocess.TimeoutExpired("a forked server", timeout or 0.0)
            else:
                time.sleep(STEP_S)
        return self.returncode

    def kill(self) -> None:
        if self.returncode is None:
            os.kill(self.pid, signal.SIGKILL)


@contextlib.contextmanager
def serve_early(path: list[str]) -> Any:
    """Within, the first server of forks that is started is one that was forked before: torch has no threads yet."""
    ours, theirs = socket.socketpair()
    process = os.fork()
    if process == 0:
        ours.close()
        _become_a_server(theirs, path)
    theirs.close()
    stand_in = SimpleNamespace(
        Popen=_first_by(ours, Served(process)),
        DEVNULL=subprocess.DEVNULL,
        TimeoutExpired=subprocess.TimeoutExpired,
    )
    vars(starting)["subprocess"] = stand_in
    try:
        yield
    finally:
        ours.close()


def _first_by(ours: socket.socket, served: Served) -> Callable[..., Any]:
    def begin(command: list[str], **options: Any) -> Any:
        if "fork" not in command or ours.fileno() < 0:
            return subprocess.Popen(command, **options)
        words = command[command.index("fork") :]
        # A list of bytes: what a variable holds need not be text.
        socket.send_fds(ours, [pickle.dumps((words, dict(os.environb), str(Path.cwd())))], list(options["pass_fds"]))
        ours.close()
        return served

    return begin


def _become_a_server(theirs: socket.socket, path: list[str]) -> NoReturn:
    try:
        os.setsid()
        content, descriptors, _, _ = socket.recv_fds(theirs, 1 << 20, 1)
        if content:
            words, environment, folder = pickle.loads(content)
            theirs.close()
            os.environb.clear()
            os.environb.update(environment)
            os.chdir(folder)
            sys.path[:] = path
            os.set_inheritable(descriptors[0], False)
            serving.main([str(descriptors[0]), *words])
    finally:
        os._exit(0)

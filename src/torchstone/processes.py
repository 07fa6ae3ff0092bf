"""Fresh processes, quickly: a call runs in a process of its own, with limits, and can be ended from outside.

Two ways, one answer (`Outcome`). A `ForkServer` has torch loaded already and forks a child for each call: about 10 ms
instead of the two seconds that importing torch takes. Metal, CUDA and other device runtimes do not survive a fork, so
there `run_spawned` starts Python anew. Calls travel with cloudpickle, so lambdas and notebook functions work too.

The server forks before torch has started any worker thread, which is what makes the fork safe.
"""

import contextlib
import ctypes
import errno
import importlib
import os
import pickle
import selectors
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from torchstone.errors import UserError

Ending = Literal["returned", "raised", "timed_out", "out_of_memory", "exited", "killed"]

MODULE = "torchstone.processes"
OUTPUT_LIMIT_BYTES = 64 * 1024
"""What a call prints is kept up to here; a runaway print must not fill our memory."""
SERVER_ENDED = "the server of fresh processes has ended"
_PYTHON = (sys.executable, "-u", "-m", MODULE)
"""Unbuffered: what is printed keeps its order, and is there too when the process is killed."""
_LENGTH = struct.Struct("!Q")
_STATUS = struct.Struct("!qq")
_READ_BYTES = 1 << 16
_MEMORY_WORDS = ("can't allocate memory", "cannot allocate memory", "out of memory", "not enough memory")
_PR_SET_CHILD_SUBREAPER = 36
"""From linux/prctl.h."""
_REAP_POLL_S = 0.002
_GRACE_S = 2.0
"""How long a child that was told to die may take until we stop waiting for its exit status."""


@dataclass(frozen=True)
class Limits:
    """What a call may use; a limit of None is no limit."""

    seconds: float = 600.0
    memory_bytes: int | None = None
    """Beyond what the process holds when the call begins; enforced on Linux."""
    output_bytes: int = OUTPUT_LIMIT_BYTES


@dataclass(frozen=True)
class Outcome:
    """How a call in its own process ended."""

    ended: Ending
    value: Any = None
    """What it returned."""
    error: BaseException | None = None
    """What it raised, where that could be sent back."""
    detail: str = ""
    """The traceback, the signal or the exit code, in words."""
    output: str = ""
    output_cut: bool = False
    seconds: float = 0.0


@dataclass
class _Reply:
    """What has arrived from a child so far."""

    result: bytearray = field(default_factory=bytearray)
    output: bytearray = field(default_factory=bytearray)
    output_cut: bool = False
    exit_code: int | None = None
    timed_out: bool = False
    server_ended: bool = False


def fork_is_safe(device_kind: str = "cpu") -> bool:
    """Whether a fork of a process with torch loaded works: on Linux, for devices without a runtime of their own."""
    return sys.platform == "linux" and device_kind in ("cpu", "pretend")


class ForkServer:
    """A process with `preload` imported that forks a child for each call. Use as a context manager."""

    def __init__(self, preload: tuple[str, ...] = ("torch",)) -> None:
        if not fork_is_safe():
            raise UserError(f"forking with torch loaded is not safe on {sys.platform}", "use spawned processes")
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with theirs:
            command = [*_PYTHON, "serve", str(theirs.fileno()), *preload]
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, pass_fds=(theirs.fileno(),), start_new_session=True
            )

    def __enter__(self) -> "ForkServer":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the server; it ends by itself too when we die, because its socket closes."""
        self._socket.close()
        try:
            self._process.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def run(self, call: Callable[[], Any], limits: Limits | None = None) -> Outcome:
        """Run `call` in a fresh fork; never raises what the call raises."""
        limits = limits or Limits()
        job = _pack(call, limits)
        result_read, result_write = os.pipe()
        output_read, output_write = os.pipe()
        try:
            socket.send_fds(self._socket, [_LENGTH.pack(len(job))], [result_write, output_write])
            self._socket.sendall(job)
            child = _LENGTH.unpack(_receive(self._socket, _LENGTH.size))[0]
        except (OSError, EOFError):
            os.close(result_read)
            os.close(output_read)
            return Outcome("exited", detail=SERVER_ENDED)
        finally:
            os.close(result_write)
            os.close(output_write)
        started = time.perf_counter()
        reply = _Reply()
        try:
            self._follow(child, result_read, output_read, reply, limits)
        finally:
            _kill_group(child)
            _drain(result_read, reply.result)
            _drain_output(output_read, reply, limits)
            os.close(result_read)
            os.close(output_read)
            if reply.exit_code is None:
                # Interrupted, or a child that would not die: its status would be taken for the next one's.
                self.close()
        return _judge(reply, limits, time.perf_counter() - started)

    def _follow(self, child: int, result_fd: int, output_fd: int, reply: _Reply, limits: Limits) -> None:
        """Gather what the child sends until it ends or its time is over."""
        deadline = time.monotonic() + limits.seconds
        with selectors.DefaultSelector() as selector:
            for descriptor in (result_fd, output_fd, self._socket.fileno()):
                selector.register(descriptor, selectors.EVENT_READ)
            while reply.exit_code is None and not reply.server_ended:
                # By the clock, not by silence: a child that prints without end is never silent.
                if time.monotonic() >= deadline:
                    if reply.timed_out:
                        break
                    reply.timed_out = True
                    deadline = time.monotonic() + _GRACE_S
                    _kill_group(child)
                for key, _ in selector.select(max(0.0, deadline - time.monotonic())):
                    self._take(key.fd, result_fd, output_fd, reply, limits, selector)

    def _take(
        self,
        ready: int,
        result_fd: int,
        output_fd: int,
        reply: _Reply,
        limits: Limits,
        selector: selectors.BaseSelector,
    ) -> None:
        if ready == self._socket.fileno():
            self._take_status(reply)
            return
        chunk = os.read(ready, _READ_BYTES)
        if not chunk:
            selector.unregister(ready)
        elif ready == result_fd:
            reply.result += chunk
        else:
            _keep_output(reply, chunk, limits)

    def _take_status(self, reply: _Reply) -> None:
        try:
            status = _STATUS.unpack(_receive(self._socket, _STATUS.size))[1]
        except (OSError, EOFError):  # the call can end the server, which is its parent
            reply.server_ended = True
        else:
            reply.exit_code = os.waitstatus_to_exitcode(status)


def run_spawned(call: Callable[[], Any], limits: Limits | None = None) -> Outcome:
    """Run `call` in a newly started Python: slower than a fork, and safe for every device."""
    limits = limits or Limits()
    reply = _Reply()
    job = _pack(call, limits)
    with tempfile.TemporaryDirectory(prefix="torchstone-") as folder:
        job_path, result_path = Path(folder) / "job", Path(folder) / "result"
        job_path.write_bytes(job)
        started = time.perf_counter()
        output_read, output_write = os.pipe()
        # A thread reads what is printed, so that a runaway print is dropped beyond its limit, not kept on a disk.
        reader = threading.Thread(target=_read_output, args=(output_read, reply, limits), daemon=True)
        reader.start()
        try:
            reply.exit_code = _wait_for([*_PYTHON, "once", str(job_path), str(result_path)], output_write, limits)
        finally:
            os.close(output_write)
            reader.join(_GRACE_S)
        reply.timed_out = reply.exit_code is None
        if result_path.exists():
            reply.result += result_path.read_bytes()
        return _judge(reply, limits, time.perf_counter() - started)


def _wait_for(command: list[str], output_fd: int, limits: Limits) -> int | None:
    """The exit code, or None where the time was over; nothing that the process started outlives this call."""
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=output_fd, stderr=subprocess.STDOUT, start_new_session=True
    )
    try:
        return process.wait(limits.seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        _kill_group(process.pid)
        process.wait()


def _read_output(descriptor: int, reply: _Reply, limits: Limits) -> None:
    with os.fdopen(descriptor, "rb", buffering=0) as stream:
        while chunk := stream.read(_READ_BYTES):
            _keep_output(reply, chunk, limits)


def _pack(call: Callable[[], Any], limits: Limits) -> bytes:
    import cloudpickle

    try:
        # The call in a wrapping of its own: what it refers to can be imported only once the path is set.
        return pickle.dumps((sys.path, limits, cloudpickle.dumps(call)))
    except Exception as error:  # whatever the person's objects raise when pickled
        raise UserError(
            f"this function cannot be sent to a fresh process: {error}",
            "compare it in this process instead (processes=0), or build its inputs inside the function",
        ) from None


def _judge(reply: _Reply, limits: Limits, seconds: float) -> Outcome:
    output = reply.output.decode("utf-8", "replace")
    rest: dict[str, Any] = {"output": output, "output_cut": reply.output_cut, "seconds": seconds}
    if reply.server_ended:
        return Outcome("exited", detail=SERVER_ENDED, **rest)
    if reply.timed_out:
        return Outcome("timed_out", detail=f"did not end within {limits.seconds:g} s", **rest)
    if reply.result:
        # A process killed while it answered leaves half an answer: then how it died is what there is to say.
        with contextlib.suppress(EOFError, pickle.UnpicklingError):
            ended, packed, detail = pickle.loads(bytes(reply.result))
            return _unpacked(Outcome(ended, detail=detail, **rest), packed)
    if reply.exit_code is not None and reply.exit_code < 0:
        return Outcome("killed", detail=f"killed by {_signal_name(-reply.exit_code)}", **rest)
    return Outcome("exited", detail=f"exited with code {reply.exit_code} before it returned", **rest)


def _unpacked(outcome: Outcome, packed: bytes) -> Outcome:
    returned = outcome.ended == "returned"
    try:
        content = pickle.loads(packed)
    except Exception as error:  # whatever the person's classes raise when unpickled
        words = f"what it returned cannot be read back: {error}"
        return replace(outcome, ended="raised", error=error, detail=words) if returned else outcome
    return replace(outcome, value=content) if returned else replace(outcome, error=content)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _kill_group(process: int) -> None:
    """A fresh process leads a session of its own, so its children go with it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process, signal.SIGKILL)


def _keep_output(reply: _Reply, chunk: bytes, limits: Limits) -> None:
    room = max(0, limits.output_bytes - len(reply.output))
    reply.output += chunk[:room]
    reply.output_cut = reply.output_cut or len(chunk) > room


def _drain(descriptor: int, into: bytearray) -> None:
    os.set_blocking(descriptor, False)
    with contextlib.suppress(BlockingIOError):
        while chunk := os.read(descriptor, _READ_BYTES):
            into += chunk


def _drain_output(descriptor: int, reply: _Reply, limits: Limits) -> None:
    rest = bytearray()
    _drain(descriptor, rest)
    _keep_output(reply, bytes(rest), limits)


def _receive(connection: socket.socket, size: int) -> bytes:
    received = bytearray()
    while len(received) < size:
        chunk = connection.recv(size - len(received))
        if not chunk:
            raise EOFError("the other side has ended")
        received += chunk
    return bytes(received)


# What follows runs in the server and in the fresh processes.


def _serve(descriptor: int, preload: list[str]) -> None:
    """The server's loop: one job at a time, a child each; ends when the parent's socket closes."""
    for name in preload:
        importlib.import_module(name)
    _adopt_orphans()
    with socket.socket(fileno=descriptor) as connection:
        while True:
            head, descriptors, _, _ = socket.recv_fds(connection, _LENGTH.size, 2)
            if not head:
                return
            job = _receive(connection, _LENGTH.unpack(head)[0])
            result_fd, output_fd = descriptors
            child = os.fork()
            if child == 0:
                connection.close()
                _be_the_child(job, result_fd, output_fd)
            os.close(result_fd)
            os.close(output_fd)
            connection.sendall(_LENGTH.pack(child))
            _, status = os.waitpid(child, 0)
            connection.sendall(_STATUS.pack(child, status))
            _end_orphans()


def _adopt_orphans() -> None:
    """Become the parent of processes whose own has ended: one that left its session can then still be found."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _end_orphans() -> None:
    """End whatever a call has left running; killing one may hand us its children, so go on until there are none."""
    deadline = time.monotonic() + _GRACE_S
    while time.monotonic() < deadline:
        try:
            ended, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if ended == 0:
            import psutil

            for orphan in psutil.Process().children():
                with contextlib.suppress(psutil.NoSuchProcess):
                    orphan.kill()
            time.sleep(_REAP_POLL_S)


def _be_the_child(job: bytes, result_fd: int, output_fd: int) -> None:
    os.setsid()
    os.dup2(output_fd, 1)
    os.dup2(output_fd, 2)
    os.close(output_fd)
    try:
        with os.fdopen(result_fd, "wb") as result:
            result.write(_perform(job))
        _flush_streams()
    finally:
        # Not sys.exit: the server's own clean-up handlers, copied by the fork, must not run here.
        os._exit(0)


def _perform(job: bytes) -> bytes:
    """Run the job and pack how it ended."""
    try:
        sys.path[:], limits, packed_call = pickle.loads(job)
        call = pickle.loads(packed_call)
        _limit_memory(limits.memory_bytes)
        return pickle.dumps(("returned", _pack_content(call()), ""))
    except SystemExit as error:
        return pickle.dumps(("exited", _pack_content(None), f"called exit({error.code!r})"))
    except BaseException as error:
        return _pack_error(error)


def _pack_content(content: object) -> bytes:
    try:
        return pickle.dumps(content)
    except Exception:  # a class made in a notebook or a script: only cloudpickle can send it
        import cloudpickle

        return bytes(cloudpickle.dumps(content))


def _pack_error(error: BaseException) -> bytes:
    _lift_memory_limit()
    ended = "out_of_memory" if is_out_of_memory(error) else "raised"
    detail = "".join(traceback.format_exception(error))
    try:
        packed = _pack_content(error)
    except Exception:  # whatever a foreign exception class raises when pickled; the traceback still goes back
        packed = _pack_content(None)
    return pickle.dumps((ended, packed, detail))


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an exception says that memory ran out; torch's CPU allocator raises a plain RuntimeError for it."""
    names = {kind.__name__ for kind in type(error).__mro__}
    if names & {"MemoryError", "OutOfMemoryError"}:
        return True
    text = str(error).lower()
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    return isinstance(error, RuntimeError) and any(words in text for words in _MEMORY_WORDS)


def _limit_memory(allowed_bytes: int | None) -> None:
    if allowed_bytes is None or sys.platform != "linux":
        return
    import resource

    import psutil

    # RLIMIT_DATA counts private memory only; RLIMIT_AS would count torch's mapped libraries, some gigabytes of them.
    held = psutil.Process().memory_info().data
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (held + allowed_bytes, hard))


def _lift_memory_limit() -> None:
    """Where memory ran out, there is none left to say so."""
    if sys.platform != "linux":
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))


def _flush_streams() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()


def _run_once(job_path: str, result_path: str) -> None:
    result = _perform(Path(job_path).read_bytes())
    partial = Path(result_path + ".partial")
    partial.write_bytes(result)
    partial.rename(result_path)


def _main(arguments: list[str]) -> None:
    if arguments[0] == "serve":
        _serve(int(arguments[1]), arguments[2:])
    else:
        _run_once(*arguments[1:])


if __name__ == "__main__":
    # Run as a module this file is __main__; the parent pickles `torchstone.processes.Limits`, so use that copy.
    importlib.import_module(MODULE)._main(sys.argv[1:])

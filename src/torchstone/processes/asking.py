"""This side of a fresh process: hands a call over, gathers what it prints and returns, and sees that it ends."""

import contextlib
import os
import pickle
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any

from torchstone.errors import UserError
from torchstone.processes.outcome import GRACE_S, LENGTH, STATUS, Limits, Outcome, kill_group, receive

ILLEGAL = ": it ran an instruction that this processor, or its virtual machine, does not grant"
SERVER_ENDED = "the server of fresh processes has ended"
_PYTHON = (sys.executable, "-u", "-m", "torchstone.processes.serving")
"""Unbuffered: what is printed keeps its order, and is there too when the process is killed."""
_READ_BYTES = 1 << 16


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
        """End the server and what runs in it; both end by themselves too when we die, because the socket closes."""
        self._socket.close()
        try:
            self._process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def run(self, call: Callable[[], Any], limits: Limits | None = None) -> Outcome:
        """Run `call` in a fresh fork; never raises what the call raises."""
        limits = limits or Limits()
        begun = self._begin(_pack(call, limits))
        if begun is None:
            return Outcome("exited", detail=SERVER_ENDED)
        child, result_fd, output_fd = begun
        started = time.perf_counter()
        reply = _Reply()
        try:
            self._follow(child, result_fd, output_fd, reply, limits)
        finally:
            kill_group(child)
            _drain(result_fd, reply.result)
            _drain_output(output_fd, reply, limits)
            os.close(result_fd)
            os.close(output_fd)
            if reply.exit_code is None:
                # Interrupted, or a child that would not die: its status would be taken for the next one's.
                self.close()
        return _judge(reply, limits, time.perf_counter() - started)

    def _begin(self, job: bytes) -> tuple[int, int, int] | None:
        """Hand the job over: the child's id and the ends that we read; None where the server has ended."""
        result_read, result_write = os.pipe()
        output_read, output_write = os.pipe()
        try:
            socket.send_fds(self._socket, [LENGTH.pack(len(job))], [result_write, output_write])
            self._socket.sendall(job)
            child = LENGTH.unpack(receive(self._socket, LENGTH.size))[0]
        except BaseException as error:
            os.close(result_read)
            os.close(output_read)
            self.close()  # half a job, or a child that we do not know: the server ends it when we hang up
            if isinstance(error, OSError | EOFError):
                return None
            raise
        finally:
            os.close(result_write)
            os.close(output_write)
        return child, result_read, output_read

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
                    deadline = time.monotonic() + GRACE_S
                    kill_group(child)
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
            status = STATUS.unpack(receive(self._socket, STATUS.size))[1]
        except (OSError, EOFError):  # the call can end the server, which is its parent
            reply.server_ended = True
        else:
            reply.exit_code = os.waitstatus_to_exitcode(status)


@contextlib.contextmanager
def fork_server_where_safe(device_kind: str) -> Iterator[ForkServer | None]:
    """A server for as long as the block lasts, or None where processes must be started anew."""
    if not fork_is_safe(device_kind):
        yield None
        return
    with ForkServer() as server:
        yield server


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
            reader.join(GRACE_S)
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
        kill_group(process.pid)
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
        return Outcome("killed", detail=_explain_signal(-reply.exit_code), **rest)
    return Outcome("exited", detail=f"exited with code {reply.exit_code} before it returned", **rest)


def _unpacked(outcome: Outcome, packed: bytes) -> Outcome:
    returned = outcome.ended == "returned"
    try:
        content = pickle.loads(packed)
    except Exception as error:  # whatever the person's classes raise when unpickled
        words = f"what it returned cannot be read back: {error}"
        return replace(outcome, ended="raised", error=error, detail=words) if returned else outcome
    return replace(outcome, value=content) if returned else replace(outcome, error=content)


def _explain_signal(number: int) -> str:
    try:
        name = signal.Signals(number).name
    except ValueError:
        return f"killed by signal {number}"
    return f"killed by {name}{ILLEGAL if name == 'SIGILL' else ''}"


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

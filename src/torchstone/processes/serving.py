"""The other side: the server that forks a child for each call, and the fresh process in which a call runs.

The server forks before torch has started any worker thread, which is what makes the fork safe.
"""

import contextlib
import ctypes
import gc
import importlib
import os
import pickle
import select
import signal
import socket
import sys
import time
import traceback
from pathlib import Path

from torchstone.processes.outcome import GRACE_S, LENGTH, STATUS, is_out_of_memory, kill_group, receive

_PR_SET_CHILD_SUBREAPER = 36
"""From linux/prctl.h."""
_REAP_POLL_S = 0.002


def _serve(descriptor: int, preload: list[str]) -> None:
    """The server's loop: one job at a time, a child each; ends when the parent's socket closes."""
    for name in preload:
        importlib.import_module(name)
    _adopt_orphans()
    # A collection in a child would touch, and so copy, every object that it shares with this process.
    gc.freeze()
    with socket.socket(fileno=descriptor) as connection:
        while True:
            try:
                head, descriptors, _, _ = socket.recv_fds(connection, LENGTH.size, 2)
                job = receive(connection, LENGTH.unpack(head)[0]) if head else b""
            except (OSError, EOFError):  # hung up in the middle of something
                return
            if not head:
                return
            result_fd, output_fd = descriptors
            child = os.fork()
            if child == 0:
                connection.close()
                _be_the_child(job, result_fd, output_fd)
            os.close(result_fd)
            os.close(output_fd)
            with contextlib.suppress(OSError):  # whoever asked may have gone; then the loop ends
                connection.sendall(LENGTH.pack(child))
            status = _wait_for_child(child, connection)
            with contextlib.suppress(OSError):
                connection.sendall(STATUS.pack(child, status))
            _end_orphans()


def _adopt_orphans() -> None:
    """Become the parent of processes whose own has ended: one that left its session can then still be found."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _end_orphans() -> None:
    """End whatever a call has left running; killing one may hand us its children, so go on until there are none."""
    deadline = time.monotonic() + GRACE_S
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


def _wait_for_child(child: int, connection: socket.socket) -> int:
    """The child's status; where whoever asked hangs up or dies meanwhile, the child goes too."""
    with contextlib.suppress(OSError):  # kernels before 5.3 cannot watch a process; there we just wait
        watch = os.pidfd_open(child)
        try:
            ready, _, _ = select.select([watch, connection.fileno()], [], [])
        finally:
            os.close(watch)
        if watch not in ready:
            kill_group(child)
            os.kill(child, signal.SIGKILL)  # it may not have a group of its own yet
    return os.waitpid(child, 0)[1]


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
        _flush_streams()
        # Without Python's own clean-up: libraries that were preloaded complain there of what nobody freed.
        os._exit(0)
    else:
        _run_once(*arguments[1:])


if __name__ == "__main__":
    _main(sys.argv[1:])

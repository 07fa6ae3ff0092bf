"""This side: starts a call in a fresh process, forked from a server that has torch loaded or started anew.

A child that is started anew has a server too, of its own: it costs some milliseconds beside the seconds that importing
torch takes, and sees to it that the child, and what the child has started, never outlives us.
"""

import contextlib
import os
import pickle
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

from torchstone.errors import UserError
from torchstone.processes.handle import GRACE_S, Handle
from torchstone.processes.outcome import Limits, Outcome
from torchstone.processes.python import NO_FORK_VARIABLE, fork_is_safe, path_for_a_child, python_command
from torchstone.processes.wire import REQUEST

SERVER_MODULE = "torchstone.processes.serving"
_POSIX_ONLY = "torchstone starts processes of its own on Linux and macOS alone"


class _Connection:
    """A server's process and our end of its socket."""

    def __init__(self, way: str, preload: tuple[str, ...] = ()) -> None:
        if os.name != "posix":
            raise UserError(_POSIX_ONLY, "on Windows use it inside WSL")
        self._asking = threading.Lock()
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with theirs:
            command = python_command(SERVER_MODULE, str(theirs.fileno()), way, *preload)
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, pass_fds=(theirs.fileno(),), start_new_session=True
            )

    @property
    def has_ended(self) -> bool:
        """By the socket, which closes before the process's end can be seen; a server never says anything on it."""
        if self._socket.fileno() < 0:
            return True
        try:
            return self._socket.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    def ask(self, request: bytes, ends: list[int]) -> None:
        """Have a child started with these descriptors; where that fails, its handle will hear nothing but the end."""
        if self._socket.fileno() < 0:
            return
        try:
            with self._asking:  # two threads' requests must not mix
                socket.send_fds(self._socket, [REQUEST.pack(len(request))], ends)
                self._socket.sendall(request)
        except OSError:  # it has ended
            self.close()
        except BaseException:  # Ctrl-C: half a request would be taken for the beginning of the next
            self.close()
            raise

    def close(self) -> None:
        """End the server and what runs in it; both end by themselves too when we die, because the socket closes."""
        self._socket.close()
        try:
            self.process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class ForkServer:
    """A process with `preload` imported that forks a child for each call; one that has died is replaced.

    Use as a context manager.
    """

    def __init__(self, preload: tuple[str, ...] = ("torch",)) -> None:
        if not fork_is_safe():
            where = f"{NO_FORK_VARIABLE} forbids it" if sys.platform == "linux" else f"not safe on {sys.platform}"
            raise UserError(f"a process with torch loaded cannot be forked: {where}", "use spawned processes")
        self._preload = preload
        self._connection = _Connection("fork", preload)
        self._closed = False
        self._replacing = threading.Lock()

    def __enter__(self) -> "ForkServer":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the server and what runs in it."""
        self._closed = True
        self._connection.close()

    def run(self, call: Callable[[], Any], limits: Limits | None = None, *, returns: Any = Any) -> Outcome:
        """Run `call` in a fresh fork and wait for how it ends; never raises what the call raises."""
        with start(call, limits=limits, forked=self, returns=returns) as handle:
            return handle.wait()

    def _living(self) -> _Connection:
        with self._replacing:
            if self._connection.has_ended and not self._closed:
                self._connection.close()
                self._connection = _Connection("fork", self._preload)
            return self._connection


def start(
    call: Callable[..., Any],
    *,
    limits: Limits | None = None,
    forked: ForkServer | None = None,
    talks: bool = False,
    receives: Any = Any,
    returns: Any = Any,
) -> Handle:
    """Begin `call` in a fresh process, forked from the server given or started anew; returns at once.

    With `talks=True` the call is given a `Channel`: what it sends the handle receives, as the type `receives`, and the
    other way round. `returns` is the type of its answer; without it, builtins come back.
    """
    limits = limits or Limits()
    job = _pack(call, limits, talks)
    connection = forked._living() if forked is not None else _Connection("spawn")
    control, their_control = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    channel, their_channel = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    output, their_output = os.pipe()
    on_end = connection.close if forked is None else lambda: None
    handle = Handle(control, channel, output, limits, receives, returns, on_end)
    try:
        with their_control, their_channel, os.fdopen(their_output, "wb"):
            connection.ask(_request(), [their_channel.fileno(), their_output, their_control.fileno()])
        handle._put(job)
    except BaseException:
        handle.close()
        raise
    return handle


def run_spawned(call: Callable[[], Any], limits: Limits | None = None, *, returns: Any = Any) -> Outcome:
    """Run `call` in a newly started Python: slower than a fork, and safe for every device."""
    with start(call, limits=limits, returns=returns) as handle:
        return handle.wait()


@contextlib.contextmanager
def fork_server_where_safe(device_kind: str) -> Iterator[ForkServer | None]:
    """A server for as long as the block lasts, or None where processes must be started anew."""
    if not fork_is_safe(device_kind):
        yield None
        return
    with ForkServer() as server:
        yield server


def _pack(call: Callable[..., Any], limits: Limits, talks: bool) -> bytes:
    import cloudpickle

    try:
        # The call in a wrapping of its own: what it refers to can be imported only once the path is set.
        return pickle.dumps((path_for_a_child(), limits, talks, cloudpickle.dumps(call)))
    except Exception as error:  # whatever the person's objects raise when pickled
        raise UserError(
            f"this cannot be sent to a fresh process: {error}",
            "build it there, in a function of a file (`torchstone check FILE.py:make`); `compare` also runs in this "
            "process (processes=0)",
        ) from None


def _request() -> bytes:
    """What a child that is started anew begins with; a fork keeps what its server has."""
    try:
        folder = str(Path.cwd())
    except OSError:  # it is gone
        folder = None
    return pickle.dumps((dict(os.environb), folder))

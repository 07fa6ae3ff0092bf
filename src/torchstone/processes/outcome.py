"""What both sides of a fresh process know: the limits, how a call ended, and the way bytes travel between them."""

import contextlib
import errno
import os
import signal
import socket
import struct
from dataclasses import dataclass
from typing import Any, Literal

Ending = Literal["returned", "raised", "timed_out", "out_of_memory", "exited", "killed"]

OUTPUT_LIMIT_BYTES = 64 * 1024
"""What a call prints is kept up to here; a runaway print must not fill our memory."""
LENGTH = struct.Struct("!Q")
STATUS = struct.Struct("!qq")
GRACE_S = 10.0
"""How long a child that was told to die may take, on a busy machine, until we stop waiting for its exit status."""
_MEMORY_WORDS = ("can't allocate memory", "cannot allocate memory", "out of memory", "not enough memory")


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


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an exception says that memory ran out; torch's CPU allocator raises a plain RuntimeError for it."""
    names = {kind.__name__ for kind in type(error).__mro__}
    if names & {"MemoryError", "OutOfMemoryError"}:
        return True
    text = str(error).lower()
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    return isinstance(error, RuntimeError) and any(words in text for words in _MEMORY_WORDS)


def kill_group(process: int) -> None:
    """A fresh process leads a session of its own, so its children go with it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process, signal.SIGKILL)


def receive(connection: socket.socket, size: int) -> bytes:
    """So many bytes, or `EOFError` where the other side has ended."""
    received = bytearray()
    while len(received) < size:
        chunk = connection.recv(size - len(received))
        if not chunk:
            raise EOFError("the other side has ended")
        received += chunk
    return bytes(received)

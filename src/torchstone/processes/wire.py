"""How bytes travel between a process and the one that started it: frames of a known length, and what they hold.

To the child goes pickle, because calls are code anyway. What comes back is msgpack, because whoever sends it may have
run somebody else's code: it is read as builtins or as a type that the reader names, and nothing in it is executed.
"""

import socket
import struct
from collections.abc import Iterator
from os import PathLike, fspath
from typing import Any

import msgspec

from torchstone.processes.outcome import Ending, Raised

HEAD = struct.Struct("!cQ")
"""A frame's kind and length."""
MESSAGE, ANSWER = b"m", b"a"
STATUS = struct.Struct("!cq")
"""What a server says of a child: that it began, with its process number; that it ended, with its status; that it could
not be started, with the system's error number."""
BEGAN, ENDED, NOT_STARTED = b"b", b"e", b"n"
REQUEST = struct.Struct("!Q")
"""The length of what is asked of a server; the three descriptors of the child travel with it."""
READ_BYTES = 1 << 16


class JunkError(Exception):
    """What arrived is not what we send."""


class Answer(msgspec.Struct, frozen=True):
    """How a call ended, told by the process in which it ran."""

    ended: Ending
    value: msgspec.Raw
    error: Raised | None
    detail: str


class Frames:
    """Bytes as they come, cut into frames."""

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self._bytes = bytearray()

    def take(self, arrived: bytes) -> Iterator[tuple[bytes, bytes]]:
        """The frames that are whole now, each with its kind; raises `JunkError`."""
        self._bytes += arrived
        while len(self._bytes) >= HEAD.size:
            kind, length = HEAD.unpack_from(self._bytes)
            if kind not in (MESSAGE, ANSWER):
                raise JunkError("what it sent is no message of ours: did it write into our pipe?")
            if length > self.limit_bytes:
                raise JunkError(f"it sent {length:,} bytes at once, more than the {self.limit_bytes:,} that it may")
            if len(self._bytes) < HEAD.size + length:
                return
            content = bytes(self._bytes[HEAD.size : HEAD.size + length])
            del self._bytes[: HEAD.size + length]
            yield kind, content


def frame(kind: bytes, content: bytes) -> bytes:
    return HEAD.pack(kind, len(content)) + content


def pack(value: object) -> bytes:
    """Builtins, records and dataclasses as msgpack; raises what msgspec raises for anything else."""
    return msgspec.msgpack.encode(value, enc_hook=_simplify)


def _simplify(value: object) -> object:
    """What is nearly a builtin: numpy's float64 is a float, a path is a string."""
    if isinstance(value, float):
        return float(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, PathLike):
        return fspath(value)
    kind_name = f"{type(value).__module__}.{type(value).__qualname__}"
    raise NotImplementedError(f"a {kind_name} cannot be sent to another process: send numbers, text or a record")


def unpack(content: bytes | msgspec.Raw, kind: Any = Any) -> Any:
    """What was packed, as `kind`; raises `JunkError`."""
    try:
        return msgspec.msgpack.decode(content, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise JunkError(str(error)) from None


def receive(connection: socket.socket, size: int) -> bytes:
    """So many bytes, or `EOFError` where the other side has ended."""
    received = bytearray()
    while len(received) < size:
        chunk = connection.recv(min(size - len(received), 1 << 20))
        if not chunk:
            raise EOFError("the other side has ended")
        received += chunk
    return bytes(received)

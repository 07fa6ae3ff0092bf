"""The child's end of its connection: send what was found, receive what to do next."""

import pickle
import socket
import threading
from collections.abc import Iterator
from typing import Any

from torchstone.processes.wire import ANSWER, HEAD, MESSAGE, frame, pack, receive


class Channel:
    """What a call that talks is given; `for message in channel` ends when the other side has nothing more to say."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._sending = threading.Lock()
        self.limit_bytes: int | None = None

    def send(self, message: object) -> None:
        """Send builtins, a record or a dataclass to the handle's `receive`."""
        if message is None:
            raise ValueError("None is no message")
        self._send(MESSAGE, pack(message))

    def answer(self, answer: object) -> None:
        """The last frame: how the call ended."""
        self._send(ANSWER, pack(answer))

    def receive(self) -> Any:
        """What the handle's `send` sent; waits for it, and raises `EOFError` when nothing more will come."""
        _, length = HEAD.unpack(receive(self._connection, HEAD.size))
        return pickle.loads(receive(self._connection, length))

    def __iter__(self) -> Iterator[Any]:
        while True:
            try:
                message = self.receive()
            except EOFError:
                return
            yield message

    def _send(self, kind: bytes, content: bytes) -> None:
        if self.limit_bytes is not None and len(content) > self.limit_bytes:
            raise ValueError(f"{len(content):,} bytes are more than the {self.limit_bytes:,} that may be sent back")
        with self._sending:
            self._connection.sendall(frame(kind, content))

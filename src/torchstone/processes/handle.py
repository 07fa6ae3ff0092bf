"""A call that runs in its own process, seen from outside: talk to it, wait for it, end it.

A handle has three ends and no thread: a channel for messages and the answer, a pipe with what the call prints, and a
control socket on which its server says when it began and ended. Closing the control socket ends the process, so a
handle that is dropped, or whose own process dies, leaves nothing behind. One thread can follow many handles: each has a
`fileno()` for a selector, and `wait_for_any` follows several.
"""

import contextlib
import os
import selectors
import socket
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from torchstone.processes.killing import count_memory_kills, explain_signal
from torchstone.processes.outcome import SERVER_ENDED, Limits, Outcome
from torchstone.processes.tying import kill_group
from torchstone.processes.wire import (
    BEGAN,
    ENDED,
    MESSAGE,
    READ_BYTES,
    STATUS,
    Answer,
    Frames,
    JunkError,
    frame,
    unpack,
)

GRACE_S = 10.0
"""How long a child that was told to die may take, on a busy machine, until we stop waiting for its exit status."""
BEGIN_S = 600.0
"""How long a server may take until a child has begun: it has torch to import first."""
OUTPUT_READS = 4
"""A pipe holds 64 KiB on Linux, one read; who prints without end must not keep us reading."""


@dataclass
class _Arrived:
    """What has come from a child so far."""

    answer: bytes | None = None
    output: bytearray = field(default_factory=bytearray)
    output_cut: bool = False
    status: int | None = None
    junk: str | None = None
    """What it sent that is not ours, in words."""
    timed_out: bool = False
    server_ended: bool = False
    not_started: str | None = None


class Handle:
    """One call in its own process. Use as a context manager: what still runs at its end is killed."""

    def __init__(
        self,
        control: socket.socket,
        channel: socket.socket,
        output: int,
        limits: Limits,
        receives: Any = Any,
        returns: Any = Any,
        on_end: Callable[[], None] = lambda: None,
    ) -> None:
        self.limits = limits
        self.process: int | None = None
        """Its number, once it has begun."""
        self.outcome: Outcome | None = None
        """How it ended, once it has."""
        self._control, self._channel, self._output = control, channel, output
        self._receives, self._returns, self._on_end = receives, returns, on_end
        self._frames = Frames(limits.answer_bytes)
        self._inbox: deque[tuple[Any, int]] = deque()
        """Messages that nobody took yet, each with its size."""
        self._inbox_bytes = 0
        self._outbox = bytearray()
        self._says_no_more = False
        self._killed = False
        self._memory_kills = count_memory_kills()
        self._arrived = _Arrived()
        self._began: float | None = None
        self._deadline = time.monotonic() + BEGIN_S
        self._selector = selectors.DefaultSelector()
        for end in (control, channel):
            end.setblocking(False)
            self._selector.register(end, selectors.EVENT_READ)
        os.set_blocking(output, False)
        self._selector.register(output, selectors.EVENT_READ)

    def __enter__(self) -> "Handle":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def fileno(self) -> int:
        """For a selector of your own (Linux, macOS): readable when `receive(0)` has something to do."""
        number: int = self._selector.fileno()
        return number

    def send(self, message: object) -> None:
        """Hand it anything that cloudpickle can send; never waits: what does not fit goes with the next `receive`."""
        import cloudpickle

        self._put(cloudpickle.dumps(message))

    def finish(self) -> None:
        """Say that no more messages will come: its `for message in channel` ends, and it may return."""
        self._says_no_more = True
        self._write()

    def receive(self, timeout: float | None = 0.0) -> Any | None:
        """Its next message, or None where none came in time (None: wait as long as it lives) or it has ended."""
        until = None if timeout is None else time.monotonic() + timeout
        while not self._inbox and self.outcome is None:
            left = None if until is None else max(0.0, until - time.monotonic())
            self._step(left)
            if left == 0.0:
                break
        if not self._inbox:
            return None
        message, size = self._inbox.popleft()
        self._inbox_bytes -= size
        return message

    @property
    def has_news(self) -> bool:
        """Whether a message waits, or it has ended."""
        return bool(self._inbox) or self.outcome is not None

    def messages(self) -> Iterator[Any]:
        """Its messages as they come, until it has ended."""
        while (message := self.receive(None)) is not None:
            yield message

    def wait(self, timeout: float | None = None) -> Outcome:
        """How it ended; raises `TimeoutError` where it still runs then. Messages stay to be received."""
        until = None if timeout is None else time.monotonic() + timeout
        while self.outcome is None:
            left = None if until is None else until - time.monotonic()
            if left is not None and left <= 0:
                raise TimeoutError("the process has not ended yet")
            self._step(left)
        return self.outcome

    def restart_clock(self) -> None:
        """Count its time from now: for a process that was started before there was anything for it to do."""
        if self.outcome is None:
            self._take_status()  # that it has begun
        if self._began is not None and not self._killed:
            self._began = time.monotonic()
            self._deadline = self._began + self.limits.seconds

    @property
    def seconds(self) -> float:
        """How long it has run."""
        return 0.0 if self._began is None else time.monotonic() - self._began

    def take_output(self) -> tuple[str, bool]:
        """What it has printed up to now, and whether that was cut; it may go on."""
        if self.outcome is not None:
            return self.outcome.output, self.outcome.output_cut
        for _ in range(OUTPUT_READS):
            if not self._take_output():
                break
        return self._arrived.output.decode("utf-8", "replace"), self._arrived.output_cut

    def kill(self) -> None:
        """End it and what it has started; returns at once, `wait` then says how it ended."""
        if self.outcome is None and not self._killed:
            self._killed = True
            self._deadline = time.monotonic() + GRACE_S
            with contextlib.suppress(OSError):  # its server is gone; then it is too
                self._control.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """Kill it where it still runs, and let go of everything."""
        if self.outcome is not None:
            return
        self.kill()
        try:
            with contextlib.suppress(TimeoutError):
                self.wait(GRACE_S)
        finally:  # a second Ctrl-C leaves nothing open either
            if self.outcome is None:
                self._end()

    # What follows moves bytes.

    def _put(self, content: bytes) -> None:
        if self.outcome is not None or self._says_no_more:
            raise RuntimeError("nothing can be sent to a process that has ended, or was told that no more will come")
        self._outbox += frame(MESSAGE, content)
        self._write()

    def _write(self) -> None:
        try:
            while self._outbox:
                del self._outbox[: self._channel.send(memoryview(self._outbox)[:READ_BYTES])]
            if self._says_no_more:
                self._channel.shutdown(socket.SHUT_WR)
        except BlockingIOError:
            pass
        except OSError:  # it has ended, or closed its end; its server will say so
            self._outbox.clear()
        wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._outbox else 0)
        with contextlib.suppress(KeyError):  # its end was seen already
            self._selector.modify(self._channel, wanted)

    def _step(self, timeout: float | None) -> None:
        """Take what has come, waiting for it at most so long."""
        left = max(0.0, self._deadline - time.monotonic())
        for key, events in self._selector.select(left if timeout is None else min(timeout, left)):
            self._take(key.fileobj, events)
        arrived = self._arrived
        if arrived.status is not None or arrived.server_ended or arrived.not_started is not None:
            self._end()
        # By the clock, not by silence: a child that prints without end is never silent.
        elif time.monotonic() >= self._deadline:
            self._be_late()

    def _take(self, end: Any, events: int) -> None:
        if end is self._control:
            self._take_status()
        elif end is self._output:
            self._take_output()
        else:
            if events & selectors.EVENT_WRITE:
                self._write()
            if events & selectors.EVENT_READ:
                self._take_frames()

    def _take_status(self) -> None:
        try:
            said = self._control.recv(STATUS.size)
        except BlockingIOError:
            return
        except OSError:
            said = b""
        if len(said) < STATUS.size:  # the call can end the server, which is its parent
            self._arrived.server_ended = True
            return
        word, number = STATUS.unpack(said)
        if word == BEGAN:
            self.process = number
            self._began = time.monotonic()
            if not self._killed:
                self._deadline = self._began + self.limits.seconds
        elif word == ENDED:
            self._arrived.status = number
        else:
            self._arrived.not_started = os.strerror(number)

    def _take_frames(self) -> bool:
        """Whether there may be more."""
        try:
            chunk = self._channel.recv(READ_BYTES)
        except BlockingIOError:
            return False
        except OSError:
            chunk = b""
        if not chunk:
            self._forget(self._channel)
            return False
        try:
            for kind, content in self._frames.take(chunk):
                self._keep(kind, content)
        except JunkError as error:
            self._arrived.junk = str(error)
            self._forget(self._channel)
            self.kill()
            return False
        return True

    def _keep(self, kind: bytes, content: bytes) -> None:
        if kind != MESSAGE:
            self._arrived.answer = content
            return
        try:
            message = unpack(content, self._receives)
        except JunkError as error:
            raise JunkError(f"it sent what cannot be read: {error}") from None
        if message is None:
            raise JunkError("it sent an empty message")
        self._inbox.append((message, len(content)))
        self._inbox_bytes += len(content)
        if self._inbox_bytes > self.limits.answer_bytes:
            raise JunkError(f"it sent more than {self.limits.answer_bytes:,} bytes that nobody took")

    def _take_output(self) -> bool:
        """Whether there may be more."""
        try:
            chunk = os.read(self._output, READ_BYTES)
        except BlockingIOError:
            return False
        if not chunk:
            self._forget(self._output)
            return False
        arrived = self._arrived
        room = max(0, self.limits.output_bytes - len(arrived.output))
        arrived.output += chunk[:room]
        arrived.output_cut = arrived.output_cut or len(chunk) > room
        return True

    def _forget(self, end: Any) -> None:
        with contextlib.suppress(KeyError):
            self._selector.unregister(end)

    def _be_late(self) -> None:
        """Its time is over; or it was killed and would not even die."""
        if self._killed:
            self._end()
        else:
            self._arrived.timed_out = True
            self.kill()

    def _end(self) -> None:
        """Take what is left, let go of everything, and say how it ended."""
        seconds = self.seconds
        if self._arrived.status is None and self.process is not None:
            kill_group(self.process)  # its server did not live to do it
        if self._arrived.junk is None:
            while self._take_frames():
                pass
        while self._take_output():
            pass
        self.outcome = self._judge(seconds)
        self._selector.close()
        self._control.close()
        self._channel.close()
        os.close(self._output)
        self._on_end()

    def _judge(self, seconds: float) -> Outcome:
        arrived = self._arrived
        output = arrived.output.decode("utf-8", "replace")
        rest: dict[str, Any] = {"output": output, "output_cut": arrived.output_cut, "seconds": seconds}
        if arrived.junk is not None:
            return Outcome("exited", detail=arrived.junk, **rest)
        if arrived.timed_out and self.process is None:
            return Outcome("exited", detail=f"its process did not begin within {BEGIN_S:g} s", **rest)
        if arrived.timed_out:
            return Outcome("timed_out", detail=f"did not end within {self.limits.seconds:g} s", **rest)
        if arrived.not_started is not None:
            return Outcome("exited", detail=f"its process could not be started: {arrived.not_started}", **rest)
        if arrived.answer is not None:
            return self._read_answer(arrived.answer, rest)
        if arrived.status is None:
            return Outcome("exited", detail=SERVER_ENDED, **rest)
        code = os.waitstatus_to_exitcode(arrived.status)
        if code < 0:
            detail = explain_signal(-code, self._memory_kills, is_ours=self._killed)
            return Outcome("killed", detail=detail, **rest)
        return Outcome("exited", detail=f"exited with code {code} before it returned", **rest)

    def _read_answer(self, content: bytes, rest: dict[str, Any]) -> Outcome:
        try:
            answer: Answer = unpack(content, Answer)
            value = unpack(answer.value, self._returns) if answer.ended == "returned" else None
        except JunkError as error:
            return Outcome("raised", detail=f"what it returned cannot be read back: {error}", **rest)
        return Outcome(answer.ended, value, answer.error, answer.detail, **rest)


def wait_for_any(handles: Iterable[Handle], timeout: float | None = None) -> list[Handle]:
    """Those with a message to receive, or that have ended; empty where none has within the time."""
    followed = list(handles)
    until = None if timeout is None else time.monotonic() + timeout
    while followed:
        news = [handle for handle in followed if handle.has_news]
        left = None if until is None else max(0.0, until - time.monotonic())
        if news or left == 0.0:
            return news
        _wait_once(followed, left)
    return []


def _wait_once(handles: list[Handle], timeout: float | None) -> None:
    """Let each take what has come for it, once there is something or the first one's time is over."""
    due = max(0.0, min(handle._deadline for handle in handles) - time.monotonic())
    with selectors.DefaultSelector() as selector:
        for handle in handles:
            for key in handle._selector.get_map().values():
                selector.register(key.fileobj, key.events)
        selector.select(due if timeout is None else min(timeout, due))
    for handle in handles:
        handle._step(0.0)

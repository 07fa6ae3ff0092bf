"""The server: a process that starts children, by a fork or anew, and does nothing but watch them.

It runs no foreign code, so it is always there to act: a child whose handle is closed is killed with its session, and
when whoever asked hangs up or dies, everything goes. What left its session is adopted (on Linux) and killed too.
A server that forks does so before torch has started any worker thread, which is what makes the fork safe.
"""

import contextlib
import gc
import importlib
import os
import pickle
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

from torchstone.processes.pages import gather_pages
from torchstone.processes.performing import be_the_child, flush_streams
from torchstone.processes.python import python_command
from torchstone.processes.tying import adopt_orphans, end_orphans, kill_group
from torchstone.processes.wire import BEGAN, ENDED, NOT_STARTED, REQUEST, STATUS, receive

DESCRIPTORS = 3
CHILD_MODULE = "torchstone.processes.starting_child"
Start: TypeAlias = Callable[[socket.socket, int, socket.socket], int]
"""Of a child with its channel, its output and what its handle listens on; gives its process number."""


@dataclass
class Server:
    """The children that run, each with the socket on which its handle listens."""

    connection: socket.socket
    forks: bool
    children: dict[int, socket.socket] = field(default_factory=dict)
    unwanted: set[int] = field(default_factory=set)
    """Those whose handle has asked for their end."""
    woken: int = -1
    """Readable when a child has ended."""
    _wakes: int = -1

    def serve(self) -> None:
        """Until whoever asked hangs up; then nothing is left."""
        self.woken, self._wakes = _wake_when_a_child_ends()
        try:
            while True:
                watched = [control for process, control in self.children.items() if process not in self.unwanted]
                everything: list[socket.socket | int] = [self.connection, self.woken, *watched]
                ready, _, _ = select.select(everything, [], [])
                if self.connection in ready and not self._take_request():
                    return
                self._kill_what_nobody_wants(ready)
                self._reap()
        finally:
            for process in self.children:
                kill_group(process)
            self.children.clear()
            end_orphans(set())

    def _take_request(self) -> bool:
        try:
            head, descriptors, _, _ = socket.recv_fds(self.connection, REQUEST.size, DESCRIPTORS)
            if not head:
                return False
            head += receive(self.connection, REQUEST.size - len(head))
            environment, folder = pickle.loads(receive(self.connection, REQUEST.unpack(head)[0]))
        except (OSError, EOFError):  # hung up in the middle of something
            return False
        channel, output, control = descriptors
        start = self._fork if self.forks else partial(_spawn, environment, folder)
        self._start(start, socket.socket(fileno=channel), output, socket.socket(fileno=control))
        return True

    def _start(self, start: Start, channel: socket.socket, output: int, control: socket.socket) -> None:
        for descriptor in (channel.fileno(), output, control.fileno()):
            os.set_inheritable(descriptor, False)
        try:
            process = start(channel, output, control)
        except OSError as error:  # no memory, or too many processes
            _say(control, NOT_STARTED, error.errno or 0)
            control.close()
        else:
            self.children[process] = control
            _say(control, BEGAN, process)
        finally:
            channel.close()
            os.close(output)

    def _fork(self, channel: socket.socket, output: int, control: socket.socket) -> int:
        server = os.getpid()
        process = os.fork()
        if process == 0:
            os.setsid()
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            # A copy of these would keep others from seeing that we have ended.
            for ours in (self.connection, control, *self.children.values()):
                ours.close()
            for descriptor in (self.woken, self._wakes):
                os.close(descriptor)
            os.dup2(output, 1)
            os.dup2(output, 2)
            os.close(output)
            be_the_child(channel, server)
        return process

    def _kill_what_nobody_wants(self, ready: list[socket.socket | int]) -> None:
        """A handle says nothing: that its socket can be read means that it was closed."""
        for process, control in self.children.items():
            if control in ready:
                self.unwanted.add(process)
                kill_group(process)

    def _reap(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while os.read(self.woken, 4096):
                pass
        while True:
            try:
                process, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if process == 0:
                return
            self.unwanted.discard(process)
            control = self.children.pop(process, None)
            if control is not None:
                kill_group(process)
                end_orphans(set(self.children))
                _say(control, ENDED, status)
                control.close()


def _spawn(
    environment: dict[bytes, bytes], folder: str | None, channel: socket.socket, output: int, control: socket.socket
) -> int:
    process = subprocess.Popen(
        python_command(CHILD_MODULE, str(channel.fileno()), str(os.getpid())),
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        pass_fds=(channel.fileno(),),
        env=environment,
        cwd=folder,
        start_new_session=True,
    )
    process.returncode = 0  # it is reaped here, with the others
    return process.pid


def _say(control: socket.socket, word: bytes, number: int) -> None:
    with contextlib.suppress(OSError):  # its handle was closed
        control.sendall(STATUS.pack(word, number))


def _wake_when_a_child_ends() -> tuple[int, int]:
    """A pipe that can be read when one has; works on every Unix, unlike watching a process by a descriptor."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    return reading, writing


@contextlib.contextmanager
def _ends_with(connection: socket.socket) -> Iterator[None]:
    """Within, a thread ends this process when the other side is gone: importing torch can take seconds."""
    reading, writing = os.pipe()
    watch = select.poll()
    watch.register(connection, 0)  # hanging up is told unasked
    watch.register(reading, select.POLLIN)

    def look() -> None:
        if any(descriptor == connection.fileno() for descriptor, _ in watch.poll()):
            os._exit(1)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield
    finally:
        os.close(writing)
        thread.join()
        os.close(reading)


def _preload(names: list[str], connection: socket.socket) -> None:
    if not names:
        return
    with _ends_with(connection):
        for name in names:
            importlib.import_module(name)
    # A collection in a child would touch, and so copy, every object that it shares with this process.
    gc.freeze()
    gather_pages()


def main(arguments: list[str]) -> None:
    descriptor, way, *preload = arguments
    with socket.socket(fileno=int(descriptor)) as connection:
        adopt_orphans()
        _preload(preload, connection)
        Server(connection, forks=way == "fork").serve()
    flush_streams()
    # Without Python's own clean-up: libraries that were preloaded complain there of what nobody freed.
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])

"""Keys without Enter: the terminal in its one-key-at-a-time mode, put back however we leave.

The reader can step aside, so that a debugger has the terminal to itself for a while.
"""

import os
import re
import sys
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torchstone import interrupting

UP, DOWN, PAGE_UP, PAGE_DOWN, ENTER, ESCAPE, END = "up", "down", "page up", "page down", "enter", "escape", "end"
SEQUENCES = {
    "\x1b[A": UP,
    "\x1b[B": DOWN,
    "\x1bOA": UP,
    "\x1bOB": DOWN,
    "\x1b[5~": PAGE_UP,
    "\x1b[6~": PAGE_DOWN,
    " ": PAGE_DOWN,
    "\r": ENTER,
    "\n": ENTER,
    "\x1b": ESCAPE,
}
ONE_KEY = re.compile(r"\x1b\[[\d;]*[A-Za-z~]|\x1bO[A-Z]|.", re.DOTALL)
READ_BYTES = 64
LOOK_EVERY_S = 0.1
"""How often a reader that waits for a key looks whether it should step aside."""


class Keyboard:
    """Waits for keys and names them."""

    def __init__(self, descriptor: int, before: Any) -> None:
        self.descriptor = descriptor
        self._before = before
        self._free = threading.Event()
        self._free.set()
        self._reading = threading.Lock()
        self._typed: deque[str] = deque()
        """Keys that came in one piece with the last one."""

    def read(self) -> str:
        """The next key; `end` when the terminal is gone."""
        import select

        while not self._typed:
            self._free.wait()
            with self._reading:
                try:
                    ready = select.select([self.descriptor], [], [], LOOK_EVERY_S)[0]
                    if not ready or not self._free.is_set():
                        continue
                    typed = os.read(self.descriptor, READ_BYTES).decode("utf-8", "replace")
                except (OSError, ValueError):
                    return END
            self._typed.extend(keys_in(typed) or [END])
        return self._typed.popleft()

    @contextmanager
    def lent(self) -> Iterator[None]:
        """The terminal as the shell has it, for someone else to read from."""
        import termios
        import tty

        self._free.clear()
        with self._reading:
            termios.tcsetattr(self.descriptor, termios.TCSADRAIN, self._before)
            try:
                yield
            finally:
                tty.setcbreak(self.descriptor)
                self._free.set()


def keys_in(typed: str) -> list[str]:
    """The keys of one read: an arrow that is held down comes several at a time.

    Of letters only the first counts: several at once are no typing, but a text that was pasted.
    """
    pieces = ONE_KEY.findall(typed)
    keys = [SEQUENCES.get(piece, piece.lower()) for piece in pieces]
    return keys if all(piece in SEQUENCES for piece in pieces) else keys[:1]


class WindowsKeyboard(Keyboard):
    """The same by `msvcrt`, which has no modes to put back."""

    def read(self) -> str:
        import msvcrt

        typed: str = msvcrt.getwch()  # type: ignore[attr-defined]
        if typed in ("\x00", "\xe0"):
            arrow: str = msvcrt.getwch()  # type: ignore[attr-defined]
            return {"H": UP, "P": DOWN, "I": PAGE_UP, "Q": PAGE_DOWN}.get(arrow, "")
        return SEQUENCES.get(typed, typed.lower())

    @contextmanager
    def lent(self) -> Iterator[None]:
        yield


@contextmanager
def one_key_at_a_time() -> Iterator[Keyboard]:
    """Yields a keyboard whose keys come without Enter."""
    if sys.platform == "win32":
        yield WindowsKeyboard(0, None)
        return
    import termios
    import tty

    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    # Put back too where the program must leave at once.
    with interrupting.cleaning_up(lambda: termios.tcsetattr(descriptor, termios.TCSANOW, before)):
        tty.setcbreak(descriptor)
        yield Keyboard(descriptor, before)

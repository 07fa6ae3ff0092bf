"""Keys without Enter: the terminal in its one-key-at-a-time mode, put back however we leave."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from torchstone import interrupting

UP, DOWN, ENTER, ESCAPE, END = "up", "down", "enter", "escape", "end"
SEQUENCES = {"\x1b[A": UP, "\x1b[B": DOWN, "\x1bOA": UP, "\x1bOB": DOWN, "\r": ENTER, "\n": ENTER, "\x1b": ESCAPE}
READ_BYTES = 64


@contextmanager
def one_key_at_a_time() -> Iterator[Callable[[], str]]:
    """Yields a function that waits for a key and names it; `end` when the terminal is gone."""
    if sys.platform == "win32":
        yield _read_windows_key
        return
    import termios
    import tty

    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    # Put back too where the program must leave at once.
    with interrupting.cleaning_up(lambda: termios.tcsetattr(descriptor, termios.TCSANOW, before)):
        tty.setcbreak(descriptor)
        yield lambda: _read_key(descriptor)


def _read_key(descriptor: int) -> str:
    try:
        typed = os.read(descriptor, READ_BYTES).decode("utf-8", "replace")
    except OSError:
        return END
    if not typed:
        return END
    return SEQUENCES.get(typed, typed[0].lower())


def _read_windows_key() -> str:
    import msvcrt

    typed: str = msvcrt.getwch()  # type: ignore[attr-defined]
    if typed in ("\x00", "\xe0"):
        arrow: str = msvcrt.getwch()  # type: ignore[attr-defined]
        return {"H": UP, "P": DOWN}.get(arrow, "")
    return SEQUENCES.get(typed, typed.lower())

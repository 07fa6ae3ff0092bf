"""Ctrl-C, SIGTERM and SIGHUP: one way out, at any moment, with what was measured kept and no traceback.

All three raise KeyboardInterrupt where the program is, so that a command can sum up what it has; then the program ends
with 128 plus the signal's number, as a shell would say it. A second signal changes nothing. Whoever is not through
after `LEAVE_S` is ended all the same, by a thread that waits for the signal beside the main one: that one may stand in
the middle of native code. Where nothing is to be kept yet and modules are being imported, the program leaves at once:
an exception in the middle of an import is reported by whatever is imported, and not by us.

Imports next to nothing: this must be in place in the first milliseconds.
"""

import _thread
import atexit
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

TYPE_CHECKING = False
if TYPE_CHECKING:
    Hook = Callable[["sys.UnraisableHookArgs"], object]

LEAVE_S = 1.6
"""Of the two seconds that are promised; ending the process takes its part."""
NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
SHELL_OFFSET = 128
SAID = b"interrupted\n"
SHOW_CURSOR = b"\x1b[?25h"
_IMPORTING = "<frozen importlib."


class _State:
    """Of this process; there is one set of signal handlers in it too."""

    signal: int | None = None
    """The first that came."""
    installed = False
    keeps = 0
    """How many blocks have something to keep."""
    holds = 0
    """How many blocks a signal waits for."""
    is_due = False
    """Whether one waits."""
    has_said = False
    """Whether the person was told that it was interrupted."""
    ending = False
    """Whether the program is through, and only Python's own clean-up is left."""
    clean_ups: list[Callable[[], None]] = []  # noqa: RUF012


def install() -> None:
    """Take over the signals; one that is ignored (`nohup`, a background job) stays ignored."""
    _State.installed = True
    wakes = _start_watching()
    for name in NAMES:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)
    atexit.register(_hold_signals)  # the first to be registered is the last to be called
    signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    sys.unraisablehook = _hide_interrupt(sys.unraisablehook)


def _hold_signals() -> None:
    """From here on Python takes its handlers down, and a signal would end as a failure what has ended well. Ignored
    rather than blocked: another thread would get it."""
    for name in NAMES:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)


def was_interrupted() -> bool:
    return _State.signal is not None


def exit_code() -> int:
    """As a shell says it: 130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP."""
    return SHELL_OFFSET + (_State.signal or signal.SIGINT)


@contextmanager
def something_to_keep() -> Iterator[None]:
    """Within, a signal always raises KeyboardInterrupt, in the middle of an import too: there are results to sum up."""
    _State.keeps += 1
    try:
        yield
    finally:
        _State.keeps -= 1


@contextmanager
def held_back() -> Iterator[None]:
    """Within, a signal waits until the block is over: a record is written whole, and counted. Short blocks only."""
    _State.holds += 1
    try:
        yield
    finally:
        _State.holds -= 1
        if _State.is_due and not _State.holds:
            _State.is_due = False
            raise KeyboardInterrupt


def note_said() -> None:
    """The person was told: whoever ends the program all the same need not say it again."""
    _State.has_said = True


@contextmanager
def cleaning_up(clean_up: Callable[[], None]) -> Iterator[None]:
    """Call this at the end of the block, or where the program leaves at once (a terminal's mode)."""
    _State.clean_ups.append(clean_up)
    try:
        yield
    finally:
        _State.clean_ups.remove(clean_up)
        clean_up()


def end(code: int) -> None:
    """Leave the program; after a signal without Python's own clean-up, which takes long with torch loaded."""
    _State.ending = True
    if was_interrupted():
        _leave(code)
    sys.exit(code)


def _interrupt(number: int, frame: FrameType | None) -> None:
    if _State.signal is not None:
        return
    _State.signal = number
    if _State.ending:
        _leave(exit_code())
    if _State.holds:
        _State.is_due = True
        return
    if _State.keeps == 0 and _is_importing(frame):
        _write(2, SAID)
        _leave(exit_code())
    raise KeyboardInterrupt


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith(_IMPORTING):
            return True
        frame = frame.f_back
    return False


def _start_watching() -> int:
    """A thread that sees to it that the program ends in time; gives the descriptor that wakes it."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    _thread.start_new_thread(_watch, (reading, _thread.get_ident()))
    return writing


def _wake(thread: int, number: int) -> None:
    """The system may hand a signal to any thread; what the main one waits in is interrupted by its own alone."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(thread, number)


def _watch(reading: int, main: int) -> None:
    watched = {getattr(signal, name, None) for name in NAMES}
    while True:
        arrived = os.read(reading, 1)
        if arrived and arrived[0] in watched:
            break
    _wake(main, arrived[0])
    time.sleep(LEAVE_S)
    if _State.signal is None:  # the main thread did not even get to hear of it
        _State.signal = arrived[0]
    if not _State.has_said:
        _write(2, SAID)
    _leave(exit_code())


def _leave(code: int) -> None:
    """At once: our children see that we are gone and go too, and temporary folders are swept at the next start."""
    for clean_up in reversed(_State.clean_ups):
        try:
            clean_up()
        except Exception:
            continue  # nothing may keep us here
    for descriptor in (1, 2):
        if os.isatty(descriptor):
            _write(descriptor, SHOW_CURSOR)
    os._exit(code)


def _write(descriptor: int, words: bytes) -> None:
    """Only where that does not wait: nobody may read from a pipe any more. Not by a stream, whose lock may be held."""
    import select

    try:
        if select.select([], [descriptor], [], 0)[1]:
            os.write(descriptor, words)
    except OSError:
        return  # it is closed


def _hide_interrupt(shown: "Hook") -> "Hook":
    """A KeyboardInterrupt in the middle of a clean-up that cannot raise is not shown; the thread ends the program."""

    def show(unraisable: "sys.UnraisableHookArgs") -> None:
        if not issubclass(unraisable.exc_type, KeyboardInterrupt):
            shown(unraisable)

    return show

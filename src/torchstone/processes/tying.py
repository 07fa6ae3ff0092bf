"""No process outlives its parent.

A child's parent is a server, which does nothing but watch: it sees the end of the pipe to whoever asked, and kills the
child's whole session, in the middle of a long call of native code too. Should the server itself be killed, the kernel
ends the child on Linux; elsewhere a thread of the child notices that it has another parent. What the child has started
in a session of its own then goes on: only the server could have found it, and making the program itself the parent of
all orphans would give it those of a person's own code too.
"""

import contextlib
import os
import signal
import sys
import threading
import time
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
"""Both from linux/prctl.h."""
LOOK_S = 0.5
ORPHANS_S = 5.0
"""How long what a child left behind may take to die, on a busy machine, until nobody waits for it any more."""
ORPHANS_STEP_S = 0.002


def tie_to_parent(parent: int | None = None) -> None:
    """End this process when `parent`, the one that started it, ends.

    The kernel's signal comes when the *thread* that started us ends: servers and launchers do that in their main one.
    """
    parent = os.getppid() if parent is None else parent
    if sys.platform == "linux":
        _control_process(_PR_SET_PDEATHSIG, signal.SIGKILL)
    else:
        threading.Thread(target=_look_for, args=(parent,), daemon=True).start()
    if os.getppid() != parent:  # it ended before we were tied
        os._exit(1)


def adopt_orphans() -> None:
    """Become the parent of processes whose own has ended: one that left its session can then still be found."""
    if sys.platform == "linux":
        _control_process(_PR_SET_CHILD_SUBREAPER, 1)


def end_orphans(living: set[int]) -> None:
    """End whatever ended children have left running; killing one may hand us its children, so until there are none."""
    deadline = time.monotonic() + ORPHANS_S
    while time.monotonic() < deadline:
        orphans = [process for process in _children() if process not in living and _session(process) not in living]
        if not orphans:
            return
        for process in orphans:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(process, os.WNOHANG)
        time.sleep(ORPHANS_STEP_S)


def _children() -> list[int]:
    try:
        return [int(word) for word in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]
    except OSError:  # not Linux, or a kernel built without it
        import psutil

        return [process.pid for process in psutil.Process().children()]


def _session(process: int) -> int:
    try:
        return os.getsid(process)
    except OSError:
        return -1


def kill_group(process: int) -> None:
    """A fresh process leads a session of its own, so its children go with it."""
    for kill in (os.killpg, os.kill):  # the latter where it does not lead one yet
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(process, signal.SIGKILL)


def _control_process(option: int, value: int) -> None:
    import ctypes

    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _look_for(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK_S)
    if os.getpgrp() == os.getpid():
        kill_group(os.getpid())
    os._exit(1)

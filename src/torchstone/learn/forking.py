"""A limit on processes that the learner's code may start, told before the machine stands still.

The kernel's own limit (RLIMIT_NPROC) does not bind root, which is who one is in many containers, so the limit is
kept by Python's audit events, over all processes of the tree: the count lives in memory that a fork shares.
"""

import mmap
import os
import struct
import sys
from typing import Any

LIMIT = 64
"""Enough for data loader workers and for a few ranks; a fork bomb passes it within milliseconds."""
EVENTS = frozenset({"os.fork", "os.forkpty", "os.posix_spawn", "subprocess.Popen", "os.system"})
_COUNT = struct.Struct("q")


class ForkGuard:
    """Counts the processes started in this process and below, and refuses more than `limit`."""

    def __init__(self, limit: int = LIMIT) -> None:
        self.limit = limit
        self._shared = mmap.mmap(-1, mmap.PAGESIZE)
        self._process = os.getpid()

    def install(self) -> None:
        """From now on and for good: an audit hook cannot be taken back."""
        sys.addaudithook(self._see)

    @property
    def exceeded(self) -> bool:
        return self._total() > self.limit

    def _see(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event not in EVENTS:
            return
        _COUNT.pack_into(self._shared, 0, self._total() + 1)
        if self.exceeded:
            # Below the first process not an exception: a bomb's own `except` would go on, in all of them.
            self.leave_if_forked()
            raise RuntimeError(f"more than {self.limit} processes")

    def leave_if_forked(self) -> None:
        """End a process that the learner's code forked and let run on: only the first one tells the verdict."""
        if os.getpid() != self._process:
            os._exit(1)

    def _total(self) -> int:
        return int(_COUNT.unpack_from(self._shared)[0])

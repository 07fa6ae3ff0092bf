"""The pretend device's memory counters: what is allocated, what a caching allocator would hold, and the peak.

A storage is freed by Python's garbage collector at any point, even inside one of these methods. A finalizer
therefore only appends to a deque (which is atomic); the counters are settled when they are next used.
"""

import threading
import weakref
from collections import deque
from dataclasses import dataclass


@dataclass(frozen=True)
class FreedBlock:
    """What a freed block leaves behind, as an allocator that clears nothing hands it out again."""

    nbytes: int
    head: bytes
    """What its first bytes held."""


class CapacityExceeded(Exception):  # noqa: N818 - a state of the ledger, turned into torch's error by the caller
    """The allocation does not fit; `free_bytes` would have."""

    def __init__(self, free_bytes: int) -> None:
        super().__init__(f"only {free_bytes} bytes are free")
        self.free_bytes = free_bytes


class MemoryLedger:
    """Bytes of one device. `pool` is what the allocator keeps: it falls only in `empty_cache`."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._freed: deque[int] = deque()
        self._live = 0
        self._leaked = 0
        self._leaked_by_driver = 0
        self._pool = 0
        self._peak = 0

    def allocate(self, owner: object, nbytes: int, capacity_bytes: int | None) -> None:
        """Count `nbytes` until `owner` is garbage; refuse what would exceed the capacity."""
        with self._lock:
            self._settle()
            used = self._live + self._leaked + self._leaked_by_driver
            if capacity_bytes is not None and used + nbytes > capacity_bytes:
                raise CapacityExceeded(max(0, capacity_bytes - used))
            self._live += nbytes
            self._raise_marks()
        weakref.finalize(owner, self._freed.append, nbytes).atexit = False

    def leak(self, nbytes: int, driver_only: bool) -> None:
        """Lose `nbytes` for good."""
        with self._lock:
            if driver_only:
                self._leaked_by_driver += nbytes
            else:
                self._leaked += nbytes
            self._settle()
            self._raise_marks()

    def current_bytes(self) -> int:
        """Bytes of live storages and of leaks."""
        with self._lock:
            self._settle()
            return self._live + self._leaked

    def driver_bytes(self) -> int:
        """Bytes that the driver has given out: never below `current_bytes`."""
        with self._lock:
            self._settle()
            return self._pool + self._leaked_by_driver

    def peak_bytes(self) -> int:
        """The largest `current_bytes` since the last `reset_peak`."""
        with self._lock:
            return self._peak

    def reset_peak(self) -> None:
        """Start the peak anew from what is allocated now."""
        with self._lock:
            self._peak = self.current_bytes()

    def empty_cache(self) -> None:
        """Give back to the driver what nothing uses; leaks stay."""
        with self._lock:
            self._pool = self.current_bytes()

    def _settle(self) -> None:
        while self._freed:
            self._live -= self._freed.popleft()

    def _raise_marks(self) -> None:
        current = self._live + self._leaked
        self._pool = max(self._pool, current)
        self._peak = max(self._peak, current)

"""The pretend device's own time: when it will have finished what was handed to it.

The results are computed at once on the host; only the *time* is pretended. So one number is enough: the
moment until which the device is busy. Waiting sleeps and then spins, since a sleep alone is late by some 0.1 ms.
"""

import threading
import time
from collections.abc import Callable

# Linux timers are late by about 0.05–0.15 ms; the rest of a wait is spun.
SPIN_S = 0.0002


class DeviceClock:
    """One in-order queue; `now` and `sleep` can be replaced to test it without waiting."""

    def __init__(
        self, now: Callable[[], float] = time.perf_counter, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._now = now
        self._sleep = sleep
        self._lock = threading.Lock()
        self.busy_until = 0.0
        self.total_busy_s = 0.0
        """All work that was ever handed over."""
        self.waits = 0
        """How often the host has waited for the device, or asked whether it need."""

    def now(self) -> float:
        """The host's time, on the scale of `busy_until`."""
        return self._now()

    def enqueue(self, seconds: float) -> None:
        """Put work on the queue: it starts when the device is free, at the earliest now."""
        with self._lock:
            self.busy_until = max(self._now(), self.busy_until) + seconds
            self.total_busy_s += seconds

    def pending_s(self) -> float:
        """How long the device is still busy."""
        return max(0.0, self.busy_until - self._now())

    def is_busy(self) -> bool:
        """Whether anything that was enqueued is unfinished."""
        return self.pending_s() > 0

    def wait(self) -> None:
        """Return once everything that was enqueued before this call is done."""
        self.wait_until(self.busy_until)

    def wait_until(self, moment: float) -> None:
        """Return once the device has reached `moment`."""
        self.waits += 1
        remaining = moment - self._now()
        if remaining > SPIN_S:
            self._sleep(remaining - SPIN_S)
        while self._now() < moment:
            pass

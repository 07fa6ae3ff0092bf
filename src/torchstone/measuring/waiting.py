"""Has the device finished when synchronize comes back? Asked of the samples themselves, by reading a value after them.

Once synchronize has come back, a value of the output must be there: reading it costs no more than reading it a second
time. Where the first reading takes far longer, the device was still at work, and the sample is the time of handing work
over. Both readings are of one sample and follow each other at once, so it does not matter whether the machine is busy
or how fast the call was at another time; the audit (`sync_audit`), which compares different calls, is misled by both.

One late reading proves nothing: the machine may have stalled. So suspicion grows by one with each that is late and
falls by one with each that is not, and only a suspicion that has grown to `PROOF` refuses the device. While there is
any, every sample is looked at, which also keeps a device that nobody waits for from gathering work for minutes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from torchstone.measuring.clock import Call, Clock, first_tensor

FAR_LONGER = 1.5
"""A call that takes so many times what it seemed to take was not waited for."""
LEAST_S = 1e-4
"""And by so much in absolute terms: below, it is the host's own work."""
PROOF = 7
"""Late readings beyond those in time. Where a reading of a device that waits is late one time in five, which takes a
very busy machine, chance gets so far from a first late one in fewer than one case in 4,000."""
FIRST_LOOKS = 16
LOOK_EVERY = 16
"""Samples, after the first looks, while nothing is suspected: often enough that little work gathers in between."""
MOST_TO_SETTLE = 3 * PROOF
"""Samples that are taken only to look at them."""


class NoWaitError(Exception):
    """The device's synchronize does not wait: no time that rests on it can be believed."""

    def __init__(self, reason: str, audit: dict[str, tuple[float, ...]] | None = None) -> None:
        super().__init__(reason)
        self.audit = audit or {}


def watch_of(clock: Clock, kind: str) -> "WaitWatch | None":
    """None for the CPU, which has finished when a call returns."""
    return None if kind == "cpu" else WaitWatch(clock)


def takes_far_longer(least_s: float, seemed_s: float) -> bool:
    """Whether what took at least so long, in all, seemed to take far less."""
    return least_s > FAR_LONGER * seemed_s and least_s - seemed_s > LEAST_S


@dataclass
class WaitWatch:
    """Looks at the samples of one call, and gathers suspicion."""

    clock: Clock
    suspicion: int = 0
    reason: str | None = None
    """Why the device is refused, once there is proof."""
    _seen: int = 0

    def look(self, spent_s: float, output: Any) -> None:
        """At a sample that took so long and gave this, if it is one to look at; an output without a tensor tells
        nothing. Raises `NoWaitError` once there is proof."""
        self._seen += 1
        is_due = self._seen <= FIRST_LOOKS or self._seen % LOOK_EVERY == 0 or self.suspicion
        tensor = first_tensor(output) if is_due else None
        if tensor is None or tensor.numel() == 0:
            return
        rest_s, again_s = self.clock.time_reading(tensor), self.clock.time_reading(tensor)
        self.weigh(spent_s, rest_s - again_s)

    def weigh(self, spent_s: float, late_s: float) -> None:
        """Take up how much later than a second reading the first one after a sample was."""
        if not takes_far_longer(spent_s + late_s, spent_s):
            self.suspicion = max(0, self.suspicion - 1)
            return
        self.suspicion += 1
        if self.suspicion >= PROOF:
            self.reason = (
                f"synchronize does not wait: what seems to take {spent_s:.3g} s is there only {late_s:.3g} s after it"
            )
            raise NoWaitError(self.reason)

    def now(self) -> float:
        """By the clock that it looks with."""
        return self.clock.now()

    def settle(self, sample: Callable[[], object]) -> None:
        """Take samples, which must be looked at, while a suspicion is left, so that it does not end as it began."""
        for _ in range(MOST_TO_SETTLE):
            if not self.suspicion:
                return
            sample()

    def time_synchronized(self, call: Call, calls: int = 1) -> tuple[float, Any]:
        """Seconds a call, from an idle device to an idle device, and the last output; looked at."""
        seconds, output = self.clock.time_synchronized(call, calls)
        self.look(seconds * calls, output)
        return seconds, output

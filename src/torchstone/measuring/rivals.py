"""One rival of a contest and its turns at the clock: warming up, samples, and whether its answer is still right.

A sample is at least a millisecond of calls back to back, after one call that is not counted: so a rival does not pay
for the caches that another has filled, nor for the threads and flags that were switched for it (one thread against two
read 0.798 without that call, 0.733 with it, and 0.739 in hot loops).
"""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from torchstone import stats
from torchstone.backends import Backend
from torchstone.measuring.clock import Call, time_calls
from torchstone.measuring.timing import (
    MIN_SAMPLE_S,
    REASON_LIMIT,
    Verify,
    WrongOutputError,
    compile_seconds,
    interrupt_after,
    status_of,
)
from torchstone.measuring.waiting import WaitWatch
from torchstone.processes import cut
from torchstone.records import Status

REFILL_S = 1e-3
"""What refilling the caches after another rival may cost: a call whose margin is larger does not feel it."""
SWITCH_S = 5e-3
"""What a switch of threads or flags may cost, such as OpenMP's building its pool anew."""
LONG_CALL_S = 1.0
"""A call this long is warm after one, and each of its outputs can be checked."""
STILL_WARMING = 0.9
"""A call that takes less than this share of the best before shows that warming up goes on."""
WARM_UP_CALLS = 20
MOST_CALLS_A_SAMPLE = 1_000_000

Ending = Literal["decided", "beaten", "failed", "stopped"]


def do_nothing() -> None:
    """The CPU has finished when a call returns: nothing to wait for, nothing to switch."""


def synchronizer(backend: Backend, device_id: str) -> Callable[[], None]:
    """Waits until the device has finished."""
    return lambda: backend.synchronize(device_id)


@dataclass(frozen=True)
class Rival:
    """One way to do the work of a contest, ready to be called."""

    name: str
    call: Call
    synchronize: Callable[[], None] = do_nothing
    """Waits for the rival's own device; see `synchronizer`."""
    switch: Callable[[], None] | None = None
    """Puts its threads and flags in force. Either all rivals of a contest have one or none: else who comes next would
    run with what another left. Rivals that share one function are not switched between."""
    check: Verify | None = None
    """Looks at an output and says what is wrong with it, or None."""
    watch: WaitWatch | None = None
    """Looks whether its device is waited for; see `waiting.watch_of`."""


@dataclass
class Stopwatch:
    """Times rivals by one clock, and knows whose threads and flags are in force."""

    now: Callable[[], float] = time.perf_counter
    sample_s: float = MIN_SAMPLE_S
    margin: float = stats.MARGIN
    """The smallest share of a time that matters."""
    in_force: Callable[[], None] | None = None
    patience_s: float | None = None
    """Who takes longer for one sample, or for one call of a slow rival, hangs; None waits for ever."""

    def switch_to(self, rival: Rival) -> bool:
        """Whether something had to be switched."""
        if rival.switch is None or rival.switch is self.in_force:
            return False
        rival.switch()
        self.in_force = rival.switch
        return True

    def feels_others(self, call_s: float, switched: bool) -> bool:
        """Whether what another rival left behind could matter in a time this long."""
        return call_s * self.margin < (SWITCH_S if switched else REFILL_S)

    def time(self, rival: Rival, calls: int) -> tuple[float, Any]:
        """Seconds of so many calls, from an idle device to an idle device, and the last output."""
        with interrupt_after(self.patience_s):
            spent_s, output = time_calls(rival.call, calls, rival.synchronize, self.now)
        if rival.watch is not None:
            rival.watch.look(spent_s, output)
        return spent_s, output


@dataclass
class Entrant:
    """A rival within a contest: what was measured of it, and how it left."""

    rival: Rival
    samples: list[float] = field(default_factory=list)
    """Seconds a call, the i-th of the i-th round."""
    calls_per_sample: int = 1
    first_call_s: float | None = None
    compile_s: float | None = None
    turn_s: float = 0.0
    """What its last turn took in all, with what is not counted."""
    ending: Ending | None = None
    why: str | None = None
    status: Status = "ok"
    reason: str | None = None
    is_warm: bool = False
    call_s: float = math.inf
    _checked_samples: int = -1

    @property
    def is_live(self) -> bool:
        return self.ending is None

    def warm_up(self, watch: Stopwatch) -> None:
        """The first call, timed and checked; then calls until they get no faster; then how many make a sample."""
        with self._failing_alone():
            watch.switch_to(self.rival)
            with compile_seconds() as compiled:
                self.first_call_s, output = watch.time(self.rival, 1)
            self.compile_s = compiled[0] if compiled else None
            self._check(output)
            del output
            self.call_s = self._time_until_warm(watch)
            self.calls_per_sample = self._count_calls(watch)
            self.is_warm = True

    def _time_until_warm(self, watch: Stopwatch) -> float:
        best_s = watch.time(self.rival, 1)[0]
        for _ in range(WARM_UP_CALLS):
            if best_s >= LONG_CALL_S:
                break
            call_s = watch.time(self.rival, 1)[0]
            is_warm = call_s > STILL_WARMING * best_s
            best_s = min(best_s, call_s)
            if is_warm:
                break
        return best_s

    def _count_calls(self, watch: Stopwatch) -> int:
        """How many calls back to back last as long as a sample should; tried, as a call in a loop takes less."""
        calls, spent_s = 1, self.call_s
        while spent_s < watch.sample_s and calls < MOST_CALLS_A_SAMPLE:
            wanted = 1.2 * calls * watch.sample_s / max(spent_s, 0.1 * watch.sample_s / calls)
            calls = min(MOST_CALLS_A_SAMPLE, max(calls + 1, min(10 * calls, math.ceil(wanted))))
            spent_s = watch.time(self.rival, calls)[0]
        self.call_s = spent_s / calls
        return calls

    def take_turn(self, watch: Stopwatch) -> float | None:
        """One sample in seconds a call; None where the call raised or gave a wrong answer, and the rival left."""
        with self._failing_alone():
            started = watch.now()
            switched = watch.switch_to(self.rival)
            if watch.feels_others(self.call_s * self.calls_per_sample, switched):
                with interrupt_after(watch.patience_s):
                    self.rival.call()
            spent_s, output = watch.time(self.rival, self.calls_per_sample)
            if spent_s <= 0.0:
                raise RuntimeError(f"the clock did not move during {self.calls_per_sample} calls")
            if self._is_check_due():
                self._check(output, with_sample=True)
            self.turn_s = watch.now() - started
            return spent_s / self.calls_per_sample
        return None

    def _is_check_due(self) -> bool:
        """Of a long call every output is checked; of a short one those of rounds 1, 2, 4, 8 …"""
        count = len(self.samples) + 1
        return self.call_s >= LONG_CALL_S or count & (count - 1) == 0

    def _check(self, output: Any, with_sample: bool = False) -> None:
        self._checked_samples = len(self.samples) + with_sample
        wrong = self.rival.check(output) if self.rival.check is not None else None
        if wrong is not None:
            raise WrongOutputError(wrong)

    def look_back(self, watch: Stopwatch) -> None:
        """What is asked at the end: whether its device was waited for, where that is in doubt, and its last answer."""
        if self.is_warm and self.rival.watch is not None:
            with self._failing_alone():
                watch.switch_to(self.rival)
                self.rival.watch.settle(lambda: watch.time(self.rival, self.calls_per_sample))
        if self.is_live:
            self._check_last(watch)

    def _check_last(self, watch: Stopwatch) -> None:
        """One more call, if the last sample's output was not looked at."""
        if self.rival.check is None or not self.is_warm or self._checked_samples == len(self.samples):
            return
        with self._failing_alone():
            watch.switch_to(self.rival)
            self._check(watch.time(self.rival, 1)[1])

    def leave(self, ending: Ending, why: str) -> None:
        """Take part no more."""
        self.ending, self.why = ending, why

    @contextmanager
    def _failing_alone(self) -> Iterator[None]:
        """What a rival raises ends its own part in the contest, not the contest."""
        try:
            yield
        except Exception as error:  # the exception is the result
            self._fail(*status_of(error))

    def _fail(self, status: Status, reason: str) -> None:
        self.status, self.reason = status, cut(reason, REASON_LIMIT)
        self.leave("failed", f"{status.replace('_', ' ')}: {self.reason}")

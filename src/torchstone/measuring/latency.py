"""Three latencies, because one number hides two of them: hot, paced and sustained.

Hot is back to back, as benchmarks do it. Paced leaves idle gaps, as a service with few requests sees it (a GPU clocks
down in between: on M-series 4.5 ms become 15 ms after a pause, pytorch#124056). Sustained goes on until heat sets in
(an M1 Max fell from 71 to 25 calls a second after 15 s, pytorch#79402). One sample is one call, so that percentiles
mean what people think.
"""

import time
from collections.abc import Callable
from typing import Literal

from torchstone.backends import find_device
from torchstone.measuring.clock import Call, Clock
from torchstone.measuring.sync_audit import audit_within
from torchstone.measuring.timing import check_budget, complete_setup, status_of, without_garbage_collection
from torchstone.measuring.waiting import NoWaitError, WaitWatch, watch_of
from torchstone.records import Measurement, Setup

Pace = Literal["hot", "paced", "sustained"]
GAP_S = 0.1
WARM_UP_CALLS = 5
AUDIT_SHARE = 0.1
"""Of the budget, for finding out whether the device is waited for."""
MAX_SAMPLES = 20_000


def measure_latency(
    call: Call,
    pace: Pace,
    *,
    name: str = "call",
    device: str = "cpu",
    setup: Setup | None = None,
    budget_s: float = 10.0,
    gap_s: float = GAP_S,
    pause: Callable[[float], None] = time.sleep,
) -> Measurement:
    """The latency of single calls at one pace, until the budget is spent.

    A device whose synchronize does not wait is refused, before or by the samples.
    """
    check_budget(budget_s)
    backend, found = find_device(device)
    clock = Clock(backend, found.id)
    watch = watch_of(clock, found.kind)
    complete = complete_setup(setup, found.id)
    protocol = f"paced, {gap_s:g} s apart" if pace == "paced" else pace
    try:
        first_call_s, _ = clock.time_synchronized(call)
        unwaited = None if watch is None else audit_within(clock, call, AUDIT_SHARE * budget_s, watch)[1]
        if unwaited is not None:
            raise NoWaitError(unwaited)
        with without_garbage_collection():
            samples = _sample(
                watch or clock, call, budget_s, gap_s if pace == "paced" else 0.0, pace != "sustained", pause
            )
    except Exception as error:  # the exception is the result
        status, reason = status_of(error)
        return Measurement(name=name, setup=complete, unit="s", protocol=protocol, status=status, reason=reason)
    return Measurement(
        name=name,
        setup=complete,
        unit="s",
        samples=tuple(samples),
        quantity="latency",
        protocol=protocol,
        first_call_s=first_call_s,
    )


def _sample(
    timer: Clock | WaitWatch, call: Call, budget_s: float, gap_s: float, warm_up: bool, pause: Callable[[float], None]
) -> list[float]:
    """Sustained runs show their own warm-up, so nothing is dropped there."""
    for _ in range(WARM_UP_CALLS if warm_up else 0):
        timer.time_synchronized(call)
    deadline = timer.now() + budget_s
    samples: list[float] = []
    while not samples or (timer.now() < deadline and len(samples) < MAX_SAMPLES):
        if gap_s:
            pause(gap_s)
        samples.append(timer.time_synchronized(call)[0])
    if isinstance(timer, WaitWatch):
        timer.settle(lambda: timer.time_synchronized(call))
    return samples

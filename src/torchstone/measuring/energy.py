"""Energy of a call from a hardware counter, with idle power measured and taken off; or the reason why there is none.

An estimate from a TDP is not a measurement, so there is no such fallback.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from torchstone.backends import EnergyCounter, NoEnergyCounter, find_device
from torchstone.measuring.clock import Call, Clock
from torchstone.measuring.timing import check_budget, complete_setup, status_of
from torchstone.records import Measurement, Scalar, Setup

WINDOWS = 5
IDLE_SHARE = 0.25
"""Of the budget, for measuring idle power before the work."""


@dataclass(frozen=True)
class _Timeline:
    """Where time comes from; replaced in tests by one that does not pass."""

    now: Callable[[], float] = time.perf_counter
    pause: Callable[[float], None] = time.sleep


def measure_energy(
    call: Call,
    *,
    name: str = "call",
    device: str = "cpu",
    setup: Setup | None = None,
    budget_s: float = 10.0,
    counter: EnergyCounter | NoEnergyCounter | None = None,
    timeline: _Timeline | None = None,
) -> Measurement:
    """Joules a call above idle, one sample a window; `facts` hold the source, the idle watts and the gross joules."""
    check_budget(budget_s)
    backend, found = find_device(device)
    complete = complete_setup(setup, found.id)
    counter = counter if counter is not None else backend.energy_counter(found.id)
    if isinstance(counter, NoEnergyCounter):
        reason = f"unavailable: {counter.reason}"
        return Measurement(name=name, setup=complete, unit="J", quantity="energy", status="skipped", reason=reason)
    timeline = timeline or _Timeline()
    clock = Clock(backend, found.id, timeline.now)
    try:
        clock.time_synchronized(call)
        idle_watts = _idle_watts(counter, timeline, budget_s * IDLE_SHARE)
        windows = [_window(counter, clock, call, budget_s * (1 - IDLE_SHARE) / WINDOWS) for _ in range(WINDOWS)]
    except Exception as error:  # the exception is the result
        status, reason = status_of(error)
        return Measurement(name=name, setup=complete, unit="J", quantity="energy", status=status, reason=reason)
    gross = [joules / calls for joules, _, calls in windows]
    net = [(joules - idle_watts * seconds) / calls for joules, seconds, calls in windows]
    facts: dict[str, Scalar] = {
        "source": counter.source,
        "idle_watts": idle_watts,
        "gross_joules_per_call": sorted(gross)[len(gross) // 2],
        "calls": sum(calls for _, _, calls in windows),
    }
    return Measurement(name=name, setup=complete, unit="J", quantity="energy", samples=tuple(net), facts=facts)


def _idle_watts(counter: EnergyCounter, timeline: _Timeline, seconds: float) -> float:
    before, start = counter.read_joules(), timeline.now()
    timeline.pause(seconds)
    return (counter.read_joules() - before) / (timeline.now() - start)


def _window(counter: EnergyCounter, clock: Clock, call: Call, seconds: float) -> tuple[float, float, int]:
    """Joules, seconds and calls of one stretch of work."""
    before, start = counter.read_joules(), clock.now()
    calls = 0
    while clock.now() - start < seconds or calls == 0:
        clock.time_synchronized(call)
        calls += 1
    return counter.read_joules() - before, clock.now() - start, calls

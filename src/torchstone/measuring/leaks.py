"""Does memory grow with every call? Three series, three phases, and an alarm only where the statistics allow one.

Leaks have appeared only when shapes vary (pytorch#132596), only in the driver's memory (pytorch#181213), or in no
counter of torch at all (pytorch#164299). So the allocator's, the driver's and the process's bytes are all followed,
with fixed shapes, with varied shapes, and once more after the caches were emptied, which tells cache from leak.
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from torchstone import stats
from torchstone.backends import Backend, find_device
from torchstone.measuring.memory import SERIES, read_series
from torchstone.measuring.timing import complete_setup, status_of
from torchstone.records import Finding, Measurement, Scalar, Setup

NumberedCall = Callable[[int], Any]
"""Called with 0, 1, 2, …; a varied-shape call takes its shape from the number."""

WINDOWS = 24
WARM_UP_WINDOWS = 6
CALLS_PER_WINDOW = 50
THRESHOLD_BYTES = 100 * 1024
"""Growth per 1,000 calls below which no alarm is raised: a hundred bytes a call, the noise of an allocator's pages."""
_PER_CALLS = 1000


@dataclass(frozen=True)
class Leak:
    """What a series says: bytes per 1,000 calls with their interval, and whether that is an alarm."""

    bytes_per_1000: stats.Interval | None
    halves: tuple[float, float] | None
    alarm: bool


@dataclass(frozen=True)
class LeakReport:
    """All series of all phases with the findings drawn from them."""

    measurements: tuple[Measurement, ...]
    findings: tuple[Finding, ...]


def judge_series(calls: list[float], floors: list[float], threshold_bytes: float = THRESHOLD_BYTES) -> Leak:
    """An alarm only if the slope's interval lies above zero, the growth above the threshold, and both halves agree."""
    slope = stats.theil_sen(calls, floors)
    middle = len(calls) // 2
    first = stats.theil_sen(calls[:middle], floors[:middle])
    second = stats.theil_sen(calls[middle:], floors[middle:])
    if slope is None or first is None or second is None:
        return Leak(None, None, False)
    scaled = stats.Interval(
        slope.estimate * _PER_CALLS, slope.low * _PER_CALLS, slope.high * _PER_CALLS, slope.confidence
    )
    halves = (first.estimate * _PER_CALLS, second.estimate * _PER_CALLS)
    alarm = scaled.low > 0 and scaled.estimate > threshold_bytes and min(halves) > threshold_bytes
    return Leak(scaled, halves, alarm)


def find_leaks(
    call: NumberedCall,
    *,
    varied: NumberedCall | None = None,
    empties: bool = True,
    name: str = "call",
    device: str = "cpu",
    setup: Setup | None = None,
    windows: int = WINDOWS,
    calls_per_window: int = CALLS_PER_WINDOW,
    threshold_bytes: float = THRESHOLD_BYTES,
) -> LeakReport:
    """Follow memory over many calls: fixed shapes, then varied ones, then the same with the cache emptied each time.

    The last phase, `empties`, and the varied one can be left out where calls are slow.
    """
    backend, found = find_device(device)
    complete = complete_setup(setup, found.id)
    phases: list[tuple[str, NumberedCall, bool]] = [("fixed shapes", call, False)]
    if varied is not None:
        phases.append(("varied shapes", varied, False))
    if empties:
        phases.append(("after empty-cache", varied or call, True))
    measurements: list[Measurement] = []
    findings: list[Finding] = []
    for phase, phase_call, empties_each_time in phases:
        try:
            floors = _follow(backend, found.id, phase_call, windows, calls_per_window, empties_each_time)
        except Exception as error:  # the exception is the result
            measurements.append(_failed(name, phase, complete, error))
            continue
        for series in SERIES:
            measurement, finding = _record(
                name, phase, series, floors[series], complete, calls_per_window, threshold_bytes
            )
            measurements.append(measurement)
            findings.extend(finding)
    return LeakReport(tuple(measurements), tuple(findings))


def _follow(
    backend: Backend, device_id: str, call: NumberedCall, windows: int, calls_per_window: int, empties: bool
) -> dict[str, list[int | None]]:
    """The floor of each window in each series: what is left when its calls are over. Warm-up windows are dropped."""
    floors: dict[str, list[int | None]] = {series: [] for series in SERIES}
    with _older_objects_aside():
        for window in range(WARM_UP_WINDOWS + windows):
            for step in range(calls_per_window):
                call(window * calls_per_window + step)
            floor = _read(backend, device_id, empties)
            if window >= WARM_UP_WINDOWS:
                for series in SERIES:
                    floors[series].append(floor[series])
    return floors


@contextmanager
def _older_objects_aside() -> Iterator[None]:
    """Collecting garbage after each window then looks at new objects only: torch's own make it take 0.1 s."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _read(backend: Backend, device_id: str, empties: bool) -> dict[str, int | None]:
    if empties:
        backend.synchronize(device_id)
        backend.empty_cache(device_id)
    return read_series(backend, device_id)


def _record(
    name: str,
    phase: str,
    series: str,
    floors: list[int | None],
    setup: Setup,
    calls_per_window: int,
    threshold_bytes: float,
) -> tuple[Measurement, list[Finding]]:
    facts: dict[str, Scalar] = {"phase": phase, "series": series, "calls_per_window": calls_per_window}
    known = [float(value) for value in floors if value is not None]
    quantity = f"memory floor, {series}, {phase}"
    if len(known) < len(floors):
        reason = "the device has no such counter"
        return Measurement(
            name=name, setup=setup, unit="bytes", quantity=quantity, status="skipped", reason=reason, facts=facts
        ), []
    measurement = Measurement(
        name=name, setup=setup, unit="bytes", quantity=quantity, samples=tuple(known), facts=facts
    )
    calls = [float(index * calls_per_window) for index in range(len(known))]
    return measurement, [_finding(name, phase, series, judge_series(calls, known, threshold_bytes), threshold_bytes)]


def _finding(name: str, phase: str, series: str, leak: Leak, threshold_bytes: float) -> Finding:
    slope = leak.bytes_per_1000
    if slope is None:
        evidence = "too few windows to judge"
    else:
        evidence = (
            f"{slope.estimate:+.0f} bytes per 1,000 calls (95 %: {slope.low:+.0f} to {slope.high:+.0f}); "
            f"an alarm needs more than {threshold_bytes:.0f} in both halves"
        )
    return Finding(
        kind="leak",
        subject=f"{name}: {series}, {phase}",
        verdict="leak" if leak.alarm else "ok" if slope else "unclear",
        level="problem" if leak.alarm else "ok" if slope else "warning",
        tier="measured",
        evidence=evidence,
        hint="find what keeps tensors alive: a list of losses, a cache, a hook" if leak.alarm else None,
        facts={
            "bytes_per_1000_calls": slope.estimate if slope else None,
            "low": slope.low if slope else None,
            "high": slope.high if slope else None,
        },
    )


def _failed(name: str, phase: str, setup: Setup, error: Exception) -> Measurement:
    status, reason = status_of(error)
    quantity = f"memory floor, {phase}"
    return Measurement(name=name, setup=setup, unit="bytes", quantity=quantity, status=status, reason=reason)

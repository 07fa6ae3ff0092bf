"""Does memory grow with every call? Three series, three phases, and an alarm only where the statistics allow one.

Leaks have appeared only when shapes vary (pytorch#132596), only in the driver's memory (pytorch#181213), or in no
counter of torch at all (pytorch#164299). So the allocator's, the driver's and the process's bytes are all followed,
with fixed shapes, with varied shapes, and once more after the caches were emptied, which tells cache from leak.
"""

import gc
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from torchstone import stats
from torchstone.backends import Backend, find_device
from torchstone.measuring.memory import SERIES, read_series
from torchstone.measuring.timing import complete_setup, status_of
from torchstone.records import Finding, Measurement, Scalar, Setup

Verdict = Literal["leak", "filling", "ok", "unclear"]

NumberedCall = Callable[[int], Any]
"""Called with 0, 1, 2, …; a varied-shape call takes its shape from the number."""

WINDOWS = 24
WARM_UP_WINDOWS = 6
CALLS_PER_WINDOW = 50
THRESHOLD_BYTES = 100 * 1024
"""Growth per 1,000 calls below which no alarm is raised: a hundred bytes a call, the noise of an allocator's pages."""
FILLING_SHARE = 0.5
"""A late slope below this share of the early one is a cache that fills: on synthetic series this made 396 false
alarms *unclear* and lost none of 553 leaks, which do not slow down."""
_PER_CALLS = 1000
_HINTS: dict[Verdict, str] = {
    "leak": "find what keeps tensors alive: a list of losses, a cache, a hook",
    "filling": "let it run longer: a cache comes to an end, a leak does not",
}


@dataclass(frozen=True)
class Leak:
    """What a series says: bytes per 1,000 calls with their interval, and what that is."""

    bytes_per_1000: stats.Interval | None
    halves: tuple[float, float] | None
    verdict: Verdict

    @property
    def alarm(self) -> bool:
        return self.verdict == "leak"


@dataclass(frozen=True)
class LeakReport:
    """All series of all phases with the findings drawn from them."""

    measurements: tuple[Measurement, ...]
    findings: tuple[Finding, ...]

    @property
    def leaks(self) -> tuple[Finding, ...]:
        """The findings that are an alarm."""
        return tuple(finding for finding in self.findings if finding.verdict == "leak")

    def __repr__(self) -> str:
        lines = [f"{one.verdict}: {one.subject}: {one.evidence}" for one in self.findings]
        return "\n".join(lines) or "nothing could be followed"

    def _repr_html_(self) -> str:
        from torchstone.report.notebooks import findings_html

        return findings_html(self.findings, nothing="nothing could be followed")


def judge_series(calls: list[float], floors: list[float], threshold_bytes: float = THRESHOLD_BYTES) -> Leak:
    """A leak only if the slope's interval lies above zero, the growth above the threshold, and both halves agree; but
    one that slows down to less than half is *filling*."""
    slope = stats.theil_sen(calls, floors)
    middle = len(calls) // 2
    first = stats.theil_sen(calls[:middle], floors[:middle])
    second = stats.theil_sen(calls[middle:], floors[middle:])
    if slope is None or first is None or second is None:
        return Leak(None, None, "unclear")
    scaled = stats.Interval(
        slope.estimate * _PER_CALLS, slope.low * _PER_CALLS, slope.high * _PER_CALLS, slope.confidence
    )
    halves = (first.estimate * _PER_CALLS, second.estimate * _PER_CALLS)
    grows = scaled.low > 0 and scaled.estimate > threshold_bytes and min(halves) > threshold_bytes
    if not grows:
        return Leak(scaled, halves, "ok")
    early, late = halves
    return Leak(scaled, halves, "filling" if late < FILLING_SHARE * early else "leak")


def find_leaks(
    call: NumberedCall | Callable[[], Any],
    *,
    varied: NumberedCall | Callable[[], Any] | None = None,
    empties: bool = True,
    name: str = "call",
    device: str = "cpu",
    setup: Setup | None = None,
    windows: int = WINDOWS,
    calls_per_window: int = CALLS_PER_WINDOW,
    threshold_bytes: float = THRESHOLD_BYTES,
) -> LeakReport:
    """Follow memory over many calls: fixed shapes, then varied ones, then the same with the cache emptied each time.

    A call may take a number, 0, 1, 2, …, of which it makes its shape. Each series of each phase gets a verdict: `leak`
    with its bytes per 1,000 calls, `ok`, or `unclear`, where a cache may still be filling. The last phase, `empties`,
    and the varied one can be left out where calls are slow.
    """
    backend, found = find_device(device)
    complete = complete_setup(setup, found.id)
    fixed = _numbered(call)
    phases: list[tuple[str, NumberedCall, bool]] = [("fixed shapes", fixed, False)]
    if varied is not None:
        phases.append(("varied shapes", _numbered(varied), False))
    if empties:
        phases.append(("after empty-cache", fixed if varied is None else _numbered(varied), True))
    measurements: list[Measurement] = []
    findings: list[Finding] = []
    for phase, phase_call, empties_each_time in phases:
        try:
            floors = _follow(backend, found.id, phase_call, windows, calls_per_window, empties_each_time)
        except Exception as error:  # the exception is the result
            measurements.append(_failed(name, phase, complete, error))
            continue
        # A counter that the device does not have is nothing that was left undone.
        for series in (one for one in SERIES if any(value is not None for value in floors[one])):
            measurement, finding = _record(
                name, phase, series, floors[series], complete, calls_per_window, threshold_bytes
            )
            measurements.append(measurement)
            findings.extend(finding)
    return LeakReport(tuple(measurements), tuple(findings))


def _numbered(call: Callable[..., Any]) -> NumberedCall:
    """A call that takes no number is called without one."""
    try:
        inspect.signature(call).bind(0)
    except TypeError:
        return lambda _: call()
    except ValueError:  # a built-in that has no signature
        pass
    return call


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
        reason = "the device's counter could not be read after every window"
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
    return Finding(
        kind="leak",
        subject=f"{name}: {series}, {phase}",
        verdict="unclear" if leak.verdict == "filling" else leak.verdict,
        level="problem" if leak.verdict == "leak" else "ok" if leak.verdict == "ok" else "note",
        tier="measured",
        evidence=_evidence(leak, threshold_bytes),
        hint=_HINTS.get(leak.verdict),
        facts={
            "bytes_per_1000_calls": slope.estimate if slope else None,
            "low": slope.low if slope else None,
            "high": slope.high if slope else None,
            "early": leak.halves[0] if leak.halves else None,
            "late": leak.halves[1] if leak.halves else None,
        },
    )


def _evidence(leak: Leak, threshold_bytes: float) -> str:
    slope = leak.bytes_per_1000
    if slope is None or leak.halves is None:
        return "too few windows to judge"
    sizes = f"{_spell(slope.estimate)} per 1,000 calls (95 %: {_spell(slope.low)} to {_spell(slope.high)})"
    if leak.verdict == "filling":
        early, late = map(_spell, leak.halves)
        return f"filling: {sizes}, but slowing down from {early} to {late}, as a cache does that fills"
    return f"{sizes}; an alarm needs more than {_spell(threshold_bytes)} in both halves"


def _spell(count: float) -> str:
    """Bytes for people."""
    for scale, unit in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if abs(count) >= scale:
            return f"{count / scale:+.3g} {unit}"
    return f"{count:+.0f} bytes"


def _failed(name: str, phase: str, setup: Setup, error: Exception) -> Measurement:
    status, reason = status_of(error)
    quantity = f"memory floor, {phase}"
    return Measurement(name=name, setup=setup, unit="bytes", quantity=quantity, status=status, reason=reason)

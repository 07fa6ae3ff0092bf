"""Does memory grow with every call? Three series, three phases, and an alarm only where the statistics allow one.

Leaks have appeared only when shapes vary (pytorch#132596), only in the driver's memory (pytorch#181213), or in no
counter of torch at all (pytorch#164299). So the allocator's, the driver's and the process's bytes are all followed,
with fixed shapes, with varied shapes, and once more after the caches were emptied, which tells cache from leak. Of the
process counts what it holds: its footprint without what its heap holds free, which hides a leak or swells it.
"""

import mmap
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from torchstone import stats
from torchstone.backends import Backend, find_device
from torchstone.measuring.floors import FREE_HEAP, NumberedCall, follow, numbered
from torchstone.measuring.memory import SERIES, stands_still
from torchstone.measuring.spelling import spell_growth
from torchstone.measuring.timing import check_count, complete_setup, status_of
from torchstone.records import Device, Finding, Measurement, Scalar, Setup

Verdict = Literal["leak", "filling", "full", "late", "small", "wide", "holes", "frozen", "ok", "unclear"]
"""All but `leak` and `ok` are told to people as *unclear*, each with its reason."""

WINDOWS = 24
CALLS_PER_WINDOW = 50
THRESHOLD_BYTES = 100 * 1024
"""Growth per 1,000 calls below which no alarm is raised: a hundred bytes a call, the noise of an allocator's pages."""
FILLING_SHARE = 0.5
"""A late slope below this share of the early one is a cache that fills: on synthetic series this made 396 false
alarms *unclear* and lost none of 553 leaks, which do not slow down."""
ENDED_SHARE = 0.1
"""Growth that a later phase sees at less than this share has come to an end. Not half: varied shapes repeat the fixed
one in a call of four, so that a leak of that shape alone would go on at a quarter."""
AS_FAST = 1.5
"""Growth of two phases that has one cause differs by less."""
WORTH_TELLING = 1.1
"""A footprint that grows so many times faster than what is kept is told beside it."""
SLACK = 8
"""Pages by which a footprint may differ from what is kept: new shapes alone made a clean transformer touch four and
more in 84 calls, where a leak of 1 KiB a call is twenty."""
_PER_CALLS = 1000
_HINTS: dict[Verdict, str] = {
    "leak": "find what keeps tensors alive: a list of losses, a cache, a hook",
    "filling": "let it run longer: a cache comes to an end, a leak does not",
    "full": "if you know of no such cache, look at what the first calls keep",
    "late": "let it run longer: with a larger --budget, or more windows",
    "small": "let it run longer: with a larger --budget, or more windows",
    "wide": "let it run longer: what grows in steps shows in many calls only",
    "holes": "let it run longer: holes are filled in the end, unless something is kept between them",
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

    @property
    def failures(self) -> tuple[Measurement, ...]:
        """The phases that could not be followed, each with its reason."""
        return tuple(one for one in self.measurements if one.status != "ok")

    def __repr__(self) -> str:
        lines = [f"{one.verdict}: {one.subject}: {one.evidence}" for one in self.findings]
        lines += [f"{one.status}: {one.name}: {one.quantity}: {one.reason}" for one in self.failures]
        return "\n".join(lines) or "nothing could be followed"

    def _repr_html_(self) -> str:
        from torchstone.report.notebooks import findings_html

        failures = [_failure_finding(one) for one in self.failures]
        return findings_html([*self.findings, *failures], nothing="nothing could be followed")


def judge_series(
    calls: list[float], floors: list[float], threshold_bytes: float = THRESHOLD_BYTES, unit_bytes: int = 0
) -> Leak:
    """A leak only if the slope's interval lies above zero, the growth above the threshold, and both halves agree.

    What is counted in pages says nothing by a few of them: the interval is wider by so much.
    """
    slope = stats.theil_sen(calls, floors)
    middle = len(calls) // 2
    first = stats.theil_sen(calls[:middle], floors[:middle])
    second = stats.theil_sen(calls[middle:], floors[middle:])
    if slope is None or first is None or second is None:
        return Leak(None, None, "unclear")
    early, late = halves = (first.estimate * _PER_CALLS, second.estimate * _PER_CALLS)
    scaled = _per_thousand(slope, halves, slack=SLACK * unit_bytes / (calls[-1] - calls[0]) * _PER_CALLS)
    if scaled.low > 0 and min(scaled.estimate, *halves) > threshold_bytes:
        return Leak(scaled, halves, "filling" if late < FILLING_SHARE * early else "leak")
    return Leak(scaled, halves, _why_not_ok(scaled, early, _per_thousand(second, (late,)), threshold_bytes) or "ok")


def _why_not_ok(scaled: stats.Interval, early: float, later: stats.Interval, threshold_bytes: float) -> Verdict | None:
    """What keeps a series without an alarm from an all-clear, if anything does.

    An all-clear needs an interval without growth that matters: it may lie above zero only where all of it is less than
    any alarm needs, and may reach no further than the alarm that this series could have raised. Growth of which the
    later half saw nothing more has ended. What began in the later half only may be a leak that memory freed before has
    held until then.
    """
    late = later.estimate
    if later.low > 0 and early <= threshold_bytes < late:
        return "late"
    if scaled.high <= THRESHOLD_BYTES or later.high <= min(THRESHOLD_BYTES, ENDED_SHARE * early):
        return None
    if scaled.low > 0:
        return "small" if late >= FILLING_SHARE * early else "filling"
    return "wide" if scaled.high > threshold_bytes else None


def _per_thousand(slope: stats.Interval, halves: tuple[float, ...], slack: float = 0.0) -> stats.Interval:
    """Of 1,000 calls, the interval wide enough for both halves.

    Sen's takes windows for independent of each other. What is left in memory stays there, so they are not: where growth
    changes its pace, his interval is too narrow, and the halves show it.
    """
    ends = (slope.low * _PER_CALLS, slope.high * _PER_CALLS, *halves)
    return stats.Interval(slope.estimate * _PER_CALLS, min(ends) - slack, max(ends) + slack, slope.confidence)


def judge_process(
    calls: list[float], footprints: list[float], free: list[float], threshold_bytes: float = THRESHOLD_BYTES
) -> tuple[Leak, Leak]:
    """What is kept, judged without what the heap holds free, and beside it the footprint.

    A footprint that grows while nothing more is kept has *holes*.
    """
    kept = judge_series(calls, _without(footprints, free), threshold_bytes, mmap.PAGESIZE)
    footprint = judge_series(calls, footprints, threshold_bytes)
    if kept.verdict == "ok" and footprint.alarm:
        kept = replace(kept, verdict="holes")
    return kept, footprint


def _without(footprints: list[float], free: list[float]) -> list[float]:
    return [footprint - part for footprint, part in zip(footprints, free, strict=True)]


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
    and the varied one can be left out where calls are slow. A phase whose call raises is told with what it raised.
    """
    check_count("windows", windows)
    check_count("calls_per_window", calls_per_window)
    backend, found = find_device(device)
    complete = complete_setup(setup, found.id)
    fixed = numbered(call)
    phases: list[tuple[str, NumberedCall, bool]] = [("fixed shapes", fixed, False)]
    if varied is not None:
        phases.append(("varied shapes", numbered(varied), False))
    if empties:
        phases.append(("after empty-cache", fixed if varied is None else numbered(varied), True))
    measurements: list[Measurement] = []
    judged: list[_Judged] = []
    for phase, phase_call, empties_each_time in phases:
        try:
            floors = follow(backend, found.id, phase_call, windows, calls_per_window, empties_each_time)
        except Exception as error:  # the exception is the result
            measurements.append(_failed(name, phase, complete, error))
            continue
        # A counter that the device does not have is nothing that was left undone.
        for series in (one for one in SERIES if any(value is not None for value in floors[one])):
            free = floors[FREE_HEAP] if series == "process" else []
            measurement, found_here = _record(
                name, phase, series, floors[series], free, complete, calls_per_window, threshold_bytes
            )
            measurements.append(measurement)
            judged.extend(found_here)
    judged = _without_frozen(_with_hindsight(judged), backend, found)
    findings = [_finding(name, one, found.id, threshold_bytes) for one in judged]
    return LeakReport(tuple(measurements), tuple(findings))


@dataclass(frozen=True)
class _Judged:
    """One series of one phase."""

    phase: str
    series: str
    leak: Leak
    footprint: Leak | None

    @property
    def is_flat(self) -> bool:
        slope = self.leak.bytes_per_1000
        return slope is not None and slope.low == slope.high == 0.0


def _without_frozen(judged: list[_Judged], backend: Backend, device: Device) -> list[_Judged]:
    """No all-clear from a counter of the device that never moved, where its allocator's is known to stand still."""
    if device.kind == "cpu" or not any(one.is_flat and one.series == "allocator" for one in judged):
        return judged
    try:
        is_frozen = stands_still(backend, device.id)
    except Exception:  # there is no room for a tensor, so nothing is known of the counter
        return judged
    frozen = Leak(None, None, "frozen")
    return [replace(one, leak=frozen) if is_frozen and _is_flat_on_device(one) else one for one in judged]


def _is_flat_on_device(judged: _Judged) -> bool:
    return judged.is_flat and judged.series != "process"


def _with_hindsight(judged: list[_Judged]) -> list[_Judged]:
    """A cache may be large enough to grow through a whole phase: it is *full* where the last saw no more of it."""
    found = []
    for number, one in enumerate(judged):
        before = [other.leak for other in judged[:number] if other.series == one.series]
        after = [other.leak for other in judged[number + 1 :] if other.series == one.series]
        is_full = bool(after) and _grew_as_fast(one.leak, before) and _has_ended(one.leak, after[-1])
        found.append(replace(one, leak=replace(one.leak, verdict="full")) if is_full else one)
    return found


def _grew_as_fast(leak: Leak, before: list[Leak]) -> bool:
    """Whether the phases before grew too. Else it is growth with each new shape, and the phase after it, whose shapes
    are the same once more, says nothing of its end."""
    slope = leak.bytes_per_1000
    if slope is None or not leak.alarm:
        return False
    slopes = [other.bytes_per_1000 for other in before]
    return all(other is not None and slope.low < AS_FAST * other.estimate for other in slopes)


def _has_ended(leak: Leak, later: Leak) -> bool:
    slope, other = leak.bytes_per_1000, later.bytes_per_1000
    return slope is not None and other is not None and other.estimate < ENDED_SHARE * slope.low


def _record(
    name: str,
    phase: str,
    series: str,
    floors: list[int | None],
    free: list[int | None],
    setup: Setup,
    calls_per_window: int,
    threshold_bytes: float,
) -> tuple[Measurement, list[_Judged]]:
    facts: dict[str, Scalar] = {"phase": phase, "series": series, "calls_per_window": calls_per_window}
    known = [float(value) for value in floors if value is not None]
    quantity = f"memory floor, {series}, {phase}"
    if len(known) < len(floors):
        reason = "the device's counter could not be read after every window"
        return Measurement(
            name=name, setup=setup, unit="bytes", quantity=quantity, status="skipped", reason=reason, facts=facts
        ), []
    calls = [float(index * calls_per_window) for index in range(len(known))]
    known_free = [float(value) for value in free if value is not None]
    footprint: Leak | None = None
    if known_free:
        leak, footprint = judge_process(calls, known, known_free, threshold_bytes)
        known = _without(known, known_free)
        facts["without"] = "what the heap holds free"
    else:
        leak = judge_series(calls, known, threshold_bytes)
    measurement = Measurement(
        name=name, setup=setup, unit="bytes", quantity=quantity, samples=tuple(known), facts=facts
    )
    return measurement, [_Judged(phase, series, leak, footprint)]


def _finding(name: str, judged: _Judged, device: str, threshold_bytes: float) -> Finding:
    leak = judged.leak
    slope = leak.bytes_per_1000
    whole = judged.footprint.bytes_per_1000 if judged.footprint else None
    return Finding(
        kind="leak",
        subject=f"{name}: {judged.series}, {judged.phase}",
        verdict=leak.verdict if leak.verdict in ("leak", "ok") else "unclear",
        level="problem" if leak.verdict == "leak" else "ok" if leak.verdict == "ok" else "note",
        tier="measured",
        evidence=_evidence(leak, whole, threshold_bytes),
        hint=_HINTS.get(leak.verdict),
        facts={
            "device": device,
            "bytes_per_1000_calls": slope.estimate if slope else None,
            "low": slope.low if slope else None,
            "high": slope.high if slope else None,
            "early": leak.halves[0] if leak.halves else None,
            "late": leak.halves[1] if leak.halves else None,
            **({"footprint_bytes_per_1000_calls": whole.estimate} if whole else {}),
        },
    )


def _evidence(leak: Leak, footprint: stats.Interval | None, threshold_bytes: float) -> str:
    slope = leak.bytes_per_1000
    if leak.verdict == "frozen":
        return "the device's counter stands still, also where a tensor is made: it would not see a leak"
    if slope is None or leak.halves is None:
        return "too few windows to judge"
    estimate, low, high, early, late = map(spell_growth, (slope.estimate, slope.low, slope.high, *leak.halves))
    sizes = f"{estimate} per 1,000 calls (95 %: {low} to {high})"
    if leak.verdict == "filling":
        return f"filling: {sizes}, but slowing down from {early} to {late}, as a cache does that fills"
    if leak.verdict == "full":
        return f"filling: {sizes}, which ended: a later phase saw no more of it, as of a cache that is full"
    if leak.verdict == "late":
        return f"{sizes}, {early} in the earlier half and {late} in the later, as where free memory hid it at first"
    grows = "" if footprint is None else f"the process grows by {spell_growth(footprint.estimate)}: holes in its heap"
    if leak.verdict == "holes":
        return f"{sizes} are kept, but {grows}"
    alarm = f"an alarm needs more than {spell_growth(threshold_bytes)} in both halves"
    if leak.verdict == "small":
        return f"{sizes}, steady but in few calls: {alarm}"
    if leak.verdict == "wide":
        return f"{sizes}, so that it may be a leak: it does not grow steadily, and {alarm}"
    if footprint is None or not leak.alarm or footprint.estimate < WORTH_TELLING * slope.high:
        return f"{sizes}; {alarm}"
    return f"{sizes} are kept, and {grows}; {alarm}"


def _failure_finding(failed: Measurement) -> Finding:
    """What raised, as a line beside the findings."""
    return Finding(
        kind="leak",
        subject=f"{failed.name}: {failed.quantity}",
        verdict=failed.status,
        level="problem",
        tier="measured",
        evidence=failed.reason or "",
    )


def _failed(name: str, phase: str, setup: Setup, error: Exception) -> Measurement:
    status, reason = status_of(error)
    quantity = f"memory floor, {phase}"
    return Measurement(name=name, setup=setup, unit="bytes", quantity=quantity, status=status, reason=reason)

"""Is the machine busy with something else? What other programs take of the cores, what the host of a virtual machine
takes, and whether the cores were slowed down for their heat.

A contest's verdict stays valid on a busy machine, but its figures are of a machine that does two things at once, and
less is decided. So it is looked at before a run and over the whole of it, and said.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import psutil

from torchstone import host
from torchstone.records import Finding

LOOK_S = 0.5
"""How long the machine is watched before a run."""
BUSY_SHARE = 0.15
"""Of all cores, that others may take before it is said: the rounds of two threads on two cores then wait for each
other at every seventh."""
STOLEN_SHARE = 0.05
POLL_S = 2.0
BUSY, QUIET = "busy", "quiet"
HINT = "end what else runs, or give --wait-quiet 120 to wait for a quiet moment first"


@dataclass(frozen=True)
class Usage:
    """What was used up since the machine was started."""

    at: float
    others_s: float
    """Seconds of cores that other programs took."""
    stolen_s: float
    """What the host of a virtual machine gave to others."""
    throttles: int | None


@dataclass(frozen=True)
class Business:
    """What happened between two looks."""

    cores: int
    others: float
    """How many cores others kept busy, on average."""
    stolen: float
    throttles: int

    @property
    def is_busy(self) -> bool:
        return self.others > BUSY_SHARE * self.cores or self.stolen > STOLEN_SHARE * self.cores or self.throttles > 0


def look(now: Callable[[], float] = time.monotonic) -> Usage:
    """How much was used until now."""
    times = psutil.cpu_times()
    counted = ("idle", "iowait", "guest", "guest_nice", "steal")  # guests are in user and nice already
    busy = sum(times) - sum(getattr(times, name, 0.0) for name in counted)
    throttles = host.thermal_throttling().value
    return Usage(
        now(),
        busy - _own_s(),
        getattr(times, "steal", 0.0),
        throttles if isinstance(throttles, int) and not isinstance(throttles, bool) else None,
    )


def _own_s() -> float:
    """Seconds of cores that this process, those it started and those that have ended took."""
    this = psutil.Process()
    return sum(_process_s(process) for process in (this, *this.children(recursive=True)))


def _process_s(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.Error:  # it has ended meanwhile
        return 0.0
    return float(times.user + times.system + times.children_user + times.children_system)


def between(first: Usage, last: Usage, cores: int | None = None) -> Business:
    """On average over that time."""
    seconds = max(last.at - first.at, 1e-9)
    throttles = 0 if first.throttles is None or last.throttles is None else last.throttles - first.throttles
    return Business(
        cores or psutil.cpu_count() or 1,
        max(last.others_s - first.others_s, 0.0) / seconds,
        max(last.stolen_s - first.stolen_s, 0.0) / seconds,
        throttles,
    )


def watch(seconds: float = LOOK_S, sleep: Callable[[float], None] = time.sleep) -> Business:
    """The machine while we do nothing."""
    first = look()
    sleep(seconds)
    return between(first, look())


def wait_until_quiet(
    most_s: float,
    watched: Callable[[], Business] = watch,
    now: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[Business]:
    """Gives each look at the machine, the last when it is quiet or the seconds are over."""
    end = now() + most_s
    while (seen := watched()).is_busy and now() < end:
        yield seen
        sleep(min(POLL_S, max(end - now(), 0.0)))
    yield seen


def explain(seen: Business, when: str, hint: str = HINT) -> Finding:
    """The warning that the screen and the page show; of a quiet machine that it was looked at, and nothing was seen."""
    parts = []
    if seen.others > BUSY_SHARE * seen.cores:
        parts.append(f"other programs kept {seen.others:.1f} of {seen.cores} cores busy")
    if seen.stolen > STOLEN_SHARE * seen.cores:
        parts.append(f"the host took {seen.stolen:.1f} of {seen.cores} cores from this virtual machine")
    if seen.throttles:
        parts.append(f"the cores were slowed down for their heat {seen.throttles} times")
    verdict = BUSY if seen.is_busy else QUIET
    slowed = f"{'; '.join(parts)}: speeds are lower than this machine's, and fewer comparisons are decided"
    return Finding(
        kind="machine",
        subject=f"a {verdict} machine, {when}",
        verdict=verdict,
        level="warning" if seen.is_busy else "ok",
        tier="measured",
        evidence=slowed if seen.is_busy else f"other programs kept {seen.others:.1f} of {seen.cores} cores busy",
        hint=hint if seen.is_busy else None,
        facts={"others": seen.others, "stolen": seen.stolen, "cores": seen.cores, "throttles": seen.throttles},
    )

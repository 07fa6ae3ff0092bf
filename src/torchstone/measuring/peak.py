"""The device's own limits, measured: matrix products a second per dtype, bytes copied a second.

Against them impossible results are caught: a harness that forgets to wait for the device reports speeds above what
the device can do, and such a number must not be published as a speed. A peak is what the device *can* do, so the best
samples count, not the usual ones: on a busy machine the median of five was 668 MFLOP/s where 30 GFLOP/s were possible.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import TYPE_CHECKING

import msgspec

from torchstone.backends import find_device
from torchstone.measuring.clock import Clock
from torchstone.measuring.spelling import spell_bytes, spell_rate
from torchstone.measuring.timing import check_budget, complete_setup, status_of
from torchstone.measuring.waiting import WaitWatch, watch_of
from torchstone.records import IN_DOUBT, Measurement, Scalar, Setup

if TYPE_CHECKING:
    from torch import Tensor

MATMUL_SIDES = (256, 512, 1024, 2048, 4096, 8192)
COPY_BYTES = (1 << 16, 1 << 20, 1 << 24, 1 << 27)
"""From cache-sized on: work that stays in a cache may rightly be faster than main memory."""
MAIN_MEMORY = COPY_BYTES[-1:]
"""Beyond most caches."""
Sample = Callable[[], float]
"""Does the work once more and says how many seconds it took."""
SAMPLES = 5
"""Of each size while the best is searched."""
SLOW_DOWN = 8
"""The next size takes so many times as long: a side twice as long in a product, and 128 MiB after 16 in a copy."""
TOP = 3
ENOUGH_SAMPLES, MOST_SAMPLES = 20, 500
"""Of the best size, where its best samples agree and where they do not."""
AGREEING = 0.05
SCATTER = 2.0
"""From this factor between the peak and the slowest sample on, the record says so: the machine was busy."""
NEAR = 0.1
"""A try that comes so close to the peak agrees with it."""
QUORUM = 0.25
"""Of all tries: where fewer agree, most of them were disturbed, and the best may have been, too."""
TOLERANCE = 1.25
"""Above the measured peak by this factor is impossible; below it, clocks that boost and noise may explain it."""


@dataclass(frozen=True)
class Peak:
    """What one device can do at most."""

    flops_per_s: dict[str, float]
    bytes_per_s: float | None


@dataclass(frozen=True)
class Best:
    """The size that did best, and every rate that was seen of it."""

    size: int
    rates: tuple[float, ...]

    @property
    def top(self) -> tuple[float, ...]:
        """The best few, whose median is what was reached at least twice: a clock that jumps makes one sample too fast,
        and other programs make any number too slow."""
        return tuple(sorted(self.rates, reverse=True)[:TOP])

    @property
    def reached(self) -> float:
        return median(self.top)

    @property
    def is_settled(self) -> bool:
        """Whether more samples would hardly reach more."""
        count = len(self.rates)
        agree = min(self.top) >= (1 - AGREEING) * max(self.top)
        return count >= MOST_SAMPLES or (count >= ENOUGH_SAMPLES and agree)

    @property
    def agreeing(self) -> int:
        """How many tries came close to what was reached."""
        return sum(rate >= (1 - NEAR) * self.reached for rate in self.rates)

    def facts(self) -> dict[str, Scalar]:
        """How many samples there were and how many agree, by which factor they differ where that is much, and why the
        peak is in doubt where it is."""
        scatter = self.reached / min(self.rates)
        doubt = self._doubt()
        return {
            "tries": len(self.rates),
            "agree": self.agreeing,
            **({"scatter": scatter} if scatter > SCATTER else {}),
            **({IN_DOUBT: doubt} if doubt else {}),
        }

    def _doubt(self) -> str | None:
        count = len(self.rates)
        if count < ENOUGH_SAMPLES:
            return f"there was time for {count} tries only"
        if self.is_settled and self.agreeing >= QUORUM * count:
            return None
        return f"{self.agreeing} of {count} tries came close to it"


def find_best(
    sizes: Sequence[int],
    work: Callable[[int], float],
    prepare: Callable[[int], Sample],
    budget_s: float,
    now: Callable[[], float] = time.perf_counter,
) -> Best:
    """Try size after size, then the best of them again until it is settled or the time is over.

    A size that does not work ends the search, unless it is the first: then what it raises is raised.
    """
    deadline = now() + budget_s
    best: tuple[Best, Sample] | None = None
    for size in sizes:
        try:
            sample = prepare(size)
            seconds = [sample() for _ in range(SAMPLES)]
        except Exception:  # whatever a device raises at a size that is too large for it
            if best is None:
                raise
            break
        tried = Best(size, tuple(work(size) / one for one in seconds))
        if best is None or tried.reached > best[0].reached:
            best = tried, sample
        # By the quickest: a starved sample says nothing of how long the next size takes.
        if now() + SLOW_DOWN * (SAMPLES + 1) * min(seconds) > deadline:
            break
    assert best is not None, "there is at least one size"
    found, sample = best
    while not found.is_settled and now() < deadline:
        found = Best(found.size, (*found.rates, work(found.size) / sample()))
    return found


def measure_matmul_peak(
    device: str, dtype: str, budget_s: float = 2.0, now: Callable[[], float] = time.perf_counter
) -> Measurement:
    """FLOP/s of square matrix products: the best samples of the size that does best within the budget."""
    check_budget(budget_s)
    backend, found = find_device(device)
    clock = Clock(backend, found.id, now)
    timer = watch_of(clock, found.kind) or clock
    setup = complete_setup(Setup(dtype=dtype), found.id)
    empty = Measurement(name=f"peak/matmul/{dtype}", setup=setup, unit="FLOP/s", quantity="peak")
    prepare = partial(_prepare_matmul, timer, found.id, dtype)
    return _record(empty, "side", lambda: find_best(MATMUL_SIDES, lambda side: 2.0 * side**3, prepare, budget_s, now))


def _prepare_matmul(timer: Clock | WaitWatch, device_id: str, dtype: str, side: int) -> Sample:
    import torch

    a = torch.ones(side, side, device=device_id).to(getattr(torch, dtype))
    call = partial(torch.matmul, a, a)
    call()
    return lambda: timer.time_synchronized(call)[0]


def measure_copy_peak(
    device: str,
    budget_s: float = 2.0,
    sizes: tuple[int, ...] = COPY_BYTES,
    now: Callable[[], float] = time.perf_counter,
) -> Measurement:
    """Bytes a second of copies on the device, read and written both counted, at the size that does best."""
    check_budget(budget_s)
    backend, found = find_device(device)
    clock = Clock(backend, found.id, now)
    timer = watch_of(clock, found.kind) or clock
    setup = complete_setup(Setup(dtype="uint8"), found.id)
    empty = Measurement(name="peak/copy", setup=setup, unit="bytes/s", quantity="peak")
    prepare = partial(_prepare_copy, timer, found.id)
    return _record(empty, "bytes", lambda: find_best(sizes, lambda size: 2.0 * size, prepare, budget_s, now))


def _prepare_copy(timer: Clock | WaitWatch, device_id: str, size: int) -> Sample:
    import torch

    source = torch.ones(size // 4, dtype=torch.float32, device=device_id)
    target = torch.empty_like(source)

    def copy() -> "Tensor":
        return target.copy_(source)

    copy()
    calls = max(1, (1 << 22) // size)
    return lambda: timer.time_synchronized(copy, calls)[0]


def _record(empty: Measurement, size_name: str, search: Callable[[], Best]) -> Measurement:
    """The measurement with the best samples, or with the reason why there are none."""
    try:
        best = search()
    except Exception as error:  # the exception is the result
        status, reason = status_of(error)
        return msgspec.structs.replace(empty, status=status, reason=reason)
    return msgspec.structs.replace(empty, samples=best.top, facts={size_name: best.size, **best.facts()})


def better_of(one: Measurement, other: Measurement) -> Measurement:
    """Of two searches for the same peak what reached more, with the tries of both. Its doubt goes where a search that
    is in none came as far."""
    best, less = (one, other) if median(one.samples) >= median(other.samples) else (other, one)
    agrees = median(less.samples) >= (1 - NEAR) * median(best.samples)
    agree = _count(best, "agree") + (_count(less, "agree") if agrees else 0)
    facts = {**best.facts, "tries": _count(best, "tries") + _count(less, "tries"), "agree": agree}
    if agrees and IN_DOUBT not in less.facts:
        facts.pop(IN_DOUBT, None)
    return msgspec.structs.replace(best, facts=facts)


def _count(found: Measurement, name: str) -> int:
    value = found.facts.get(name)
    return value if isinstance(value, int) else 0


def peak_of(measurements: tuple[Measurement, ...]) -> Peak:
    """The limits out of their measurements: the same figures that are shown, what was reached at least twice."""
    flops = {
        measurement.setup.dtype or "": median(measurement.samples)
        for measurement in measurements
        if measurement.unit == "FLOP/s" and measurement.samples
    }
    copies = [median(one.samples) for one in measurements if one.unit == "bytes/s" and one.samples]
    return Peak(flops, max(copies) if copies else None)


def refuse_impossible(
    measurement: Measurement, peak: Peak, flops: float | None = None, moved_bytes: float | None = None
) -> Measurement:
    """The measurement, or the same marked wrong where a call would have outdone the device's measured peak."""
    if not measurement.samples or measurement.unit != "s":
        return measurement
    seconds = median(measurement.samples)
    reason = _impossible_flops(measurement, peak, flops, seconds) or _impossible_bytes(peak, moved_bytes, seconds)
    if reason is None:
        return measurement
    return msgspec.structs.replace(measurement, status="wrong", reason=reason)


def confirm_impossible(
    measurement: Measurement,
    peak: Peak,
    measure_again: Callable[[], Peak],
    *,
    flops: float | None = None,
    moved_bytes: float | None = None,
    tries: int = 3,
) -> Measurement:
    """As `refuse_impossible`, but only if the device does not reach it either when its peak is measured again.

    A peak that was measured while the machine was starved made a right model impossible; so the highest of all counts,
    and `measure_again` is asked only while the measurement still seems impossible.
    """
    found = refuse_impossible(measurement, peak, flops, moved_bytes)
    for _ in range(tries):
        if found.status == measurement.status:
            return found
        peak = highest_peak(peak, measure_again())
        found = refuse_impossible(measurement, peak, flops, moved_bytes)
    return found


def highest_peak(one: Peak, other: Peak) -> Peak:
    """Of two, what is higher in each."""
    dtypes = one.flops_per_s.keys() | other.flops_per_s.keys()
    flops = {dtype: max(one.flops_per_s.get(dtype, 0.0), other.flops_per_s.get(dtype, 0.0)) for dtype in dtypes}
    copies = [rate for rate in (one.bytes_per_s, other.bytes_per_s) if rate is not None]
    return Peak(flops, max(copies) if copies else None)


def _impossible_flops(measurement: Measurement, peak: Peak, flops: float | None, seconds: float) -> str | None:
    limit = peak.flops_per_s.get(measurement.setup.dtype or "float32")
    if flops is None or limit is None or flops / seconds <= limit * TOLERANCE:
        return None
    return (
        f"impossible: {spell_rate(flops / seconds, 'FLOP/s')}, but the device's measured peak is "
        f"{spell_rate(limit, 'FLOP/s')}; was it waited for?"
    )


def _impossible_bytes(peak: Peak, moved_bytes: float | None, seconds: float) -> str | None:
    limit = peak.bytes_per_s
    if moved_bytes is None or limit is None or moved_bytes / seconds <= limit * TOLERANCE:
        return None
    rate = spell_bytes(moved_bytes / seconds)
    return f"impossible: {rate}/s, but the device's measured peak is {spell_bytes(limit)}/s; was it waited for?"

"""The device's own limits, measured: matrix products a second per dtype, bytes copied a second.

Against them impossible results are caught: a harness that forgets to wait for the device reports speeds above what
the device can do, and such a number must not be published as a speed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import TYPE_CHECKING

import msgspec

from torchstone.backends import find_device
from torchstone.measuring.timing import Clock, check_budget, complete_setup, status_of
from torchstone.records import Measurement, Setup

if TYPE_CHECKING:
    from torch import Tensor

MATMUL_SIDES = (256, 512, 1024, 2048, 4096, 8192)
COPY_BYTES = (1 << 16, 1 << 20, 1 << 24, 1 << 27)
"""From cache-sized on: work that stays in a cache may rightly be faster than main memory."""
MAIN_MEMORY = COPY_BYTES[-1:]
"""Beyond most caches."""
SAMPLES = 5
TOLERANCE = 1.25
"""Above the measured peak by this factor is impossible; below it, clocks that boost and noise may explain it."""


@dataclass(frozen=True)
class Peak:
    """What one device can do at most."""

    flops_per_s: dict[str, float]
    bytes_per_s: float | None


def measure_matmul_peak(device: str, dtype: str, budget_s: float = 2.0) -> Measurement:
    """FLOP/s of square matrix products: the samples of the size that does best within the budget."""
    check_budget(budget_s)
    backend, found = find_device(device)
    clock = Clock(backend, found.id)
    setup = complete_setup(Setup(dtype=dtype), found.id)
    name = f"peak/matmul/{dtype}"
    best: tuple[float, ...] = ()
    best_side = 0
    deadline = clock.now() + budget_s
    try:
        for side in MATMUL_SIDES:
            seconds = _time_matmul(clock, found.id, dtype, side)
            rates = tuple(2.0 * side**3 / one for one in seconds)
            if not best or median(rates) > median(best):
                best, best_side = rates, side
            # The next size takes eight times as long for each of its samples.
            if clock.now() + 8 * (SAMPLES + 1) * median(seconds) > deadline:
                break
    except Exception as error:  # the exception is the result; a size that no longer fits ends the search
        if not best:
            status, reason = status_of(error)
            return Measurement(name=name, setup=setup, unit="FLOP/s", quantity="peak", status=status, reason=reason)
    return Measurement(name=name, setup=setup, unit="FLOP/s", quantity="peak", samples=best, facts={"side": best_side})


def _time_matmul(clock: Clock, device_id: str, dtype: str, side: int) -> list[float]:
    import torch

    a = torch.ones(side, side, device=device_id).to(getattr(torch, dtype))
    call = partial(torch.matmul, a, a)
    call()
    return [clock.time_synchronized(call)[0] for _ in range(SAMPLES)]


def measure_copy_peak(device: str, budget_s: float = 2.0, sizes: tuple[int, ...] = COPY_BYTES) -> Measurement:
    """Bytes a second of copies on the device, read and written both counted, at the size that does best."""
    check_budget(budget_s)
    backend, found = find_device(device)
    clock = Clock(backend, found.id)
    setup = complete_setup(Setup(dtype="uint8"), found.id)
    best: tuple[float, ...] = ()
    best_size = 0
    deadline = clock.now() + budget_s
    try:
        for size in sizes:
            rates = tuple(2.0 * size / one for one in _time_copy(clock, found.id, size))
            if not best or median(rates) > median(best):
                best, best_size = rates, size
            if clock.now() > deadline:
                break
    except Exception as error:  # the exception is the result
        if not best:
            status, reason = status_of(error)
            return Measurement(
                name="peak/copy", setup=setup, unit="bytes/s", quantity="peak", status=status, reason=reason
            )
    return Measurement(
        name="peak/copy", setup=setup, unit="bytes/s", quantity="peak", samples=best, facts={"bytes": best_size}
    )


def _time_copy(clock: Clock, device_id: str, size: int) -> list[float]:
    import torch

    source = torch.ones(size // 4, dtype=torch.float32, device=device_id)
    target = torch.empty_like(source)

    def copy() -> "Tensor":
        return target.copy_(source)

    copy()
    calls = max(1, (1 << 22) // size)
    return [clock.time_synchronized(copy, calls)[0] for _ in range(SAMPLES)]


def peak_of(measurements: tuple[Measurement, ...]) -> Peak:
    """The limits out of their measurements: the best sample of each, as a peak is a maximum."""
    flops = {
        measurement.setup.dtype or "": max(measurement.samples)
        for measurement in measurements
        if measurement.unit == "FLOP/s" and measurement.samples
    }
    copies = [max(one.samples) for one in measurements if one.unit == "bytes/s" and one.samples]
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
        f"impossible: {flops / seconds:.3g} FLOP/s, but the device's measured peak is {limit:.3g}; was it waited for?"
    )


def _impossible_bytes(peak: Peak, moved_bytes: float | None, seconds: float) -> str | None:
    limit = peak.bytes_per_s
    if moved_bytes is None or limit is None or moved_bytes / seconds <= limit * TOLERANCE:
        return None
    rate = moved_bytes / seconds
    return f"impossible: {rate:.3g} bytes/s, but the device's measured peak is {limit:.3g}; was it waited for?"

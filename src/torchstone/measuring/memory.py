"""How much memory a call takes at its peak: the allocator's, the driver's, and the process's own.

Where the device counts its own peak, that is taken. Where it does not (MPS, the CPU), the current values are sampled
from another thread while the call runs, and the record says so: a sampled peak can miss a short one.
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Thread

from torchstone import host
from torchstone.backends import Backend, MemoryReading, find_device
from torchstone.measuring.timing import Call, complete_setup, status_of
from torchstone.records import Measurement, Scalar, Setup

SAMPLE_EVERY_S = 0.002
SERIES = ("allocator", "driver", "process")


@dataclass
class Highest:
    """The highest value seen in each series; None where the device has no such counter."""

    allocator: int | None = None
    driver: int | None = None
    process: int | None = None
    reasons: dict[str, str] = field(default_factory=dict)

    def take(self, reading: MemoryReading, process_bytes: int) -> None:
        self.allocator = _higher(self.allocator, reading.current.bytes)
        self.driver = _higher(self.driver, reading.driver.bytes)
        self.process = _higher(self.process, process_bytes)
        for series, one in (("allocator", reading.current), ("driver", reading.driver)):
            if one.reason is not None:
                self.reasons[series] = one.reason


def _higher(before: int | None, now: int | None) -> int | None:
    return before if now is None else now if before is None else max(before, now)


def read_series(backend: Backend, device_id: str) -> dict[str, int | None]:
    """The three series now, after the device is idle and garbage is collected."""
    backend.synchronize(device_id)
    gc.collect()
    reading = backend.read_memory(device_id)
    return {
        "allocator": reading.current.bytes,
        "driver": reading.driver.bytes,
        "process": host.process_memory_bytes(),
    }


def measure_peak_memory(
    call: Call, *, name: str = "call", device: str = "cpu", setup: Setup | None = None
) -> tuple[Measurement, ...]:
    """Peak bytes during one call above what was held before it, a record for each of the three series."""
    backend, found = find_device(device)
    complete = complete_setup(setup, found.id)
    before = read_series(backend, found.id)
    backend.reset_peak_memory(found.id)
    try:
        with watch(backend, found.id) as highest:
            call()
            backend.synchronize(found.id)
    except Exception as error:  # the exception is the result
        status, reason = status_of(error)
        return (
            Measurement(name=name, setup=complete, unit="bytes", quantity="peak memory", status=status, reason=reason),
        )
    counted = backend.read_memory(found.id).peak
    peaks = {series: getattr(highest, series) for series in SERIES}
    if counted.bytes is not None:
        peaks["allocator"] = counted.bytes
    return tuple(
        _record(name, complete, series, peaks[series], before[series], highest, counted.bytes is not None)
        for series in SERIES
    )


def _record(
    name: str,
    setup: Setup,
    series: str,
    peak: int | None,
    before: int | None,
    highest: Highest,
    counted: bool,
) -> Measurement:
    by_counter = series == "allocator" and counted
    source = "the device's own peak counter" if by_counter else f"sampled every {SAMPLE_EVERY_S * 1e3:g} ms"
    facts: dict[str, Scalar] = {"series": series, "source": source, "before_bytes": before, "peak_bytes": peak}
    quantity = f"peak memory, {series}"
    if peak is None or before is None:
        reason = highest.reasons.get(series, "the device has no such counter")
        return Measurement(
            name=name, setup=setup, unit="bytes", quantity=quantity, status="skipped", reason=reason, facts=facts
        )
    above = float(max(0, peak - before))
    return Measurement(name=name, setup=setup, unit="bytes", quantity=quantity, samples=(above,), facts=facts)


@contextmanager
def watch(
    backend: Backend, device_id: str, process_bytes: Callable[[], int] = host.process_memory_bytes
) -> Iterator[Highest]:
    """Sample the memory from another thread while the block runs; reads once more at the end, before it is freed."""
    highest = Highest()
    done = Event()

    def look() -> None:
        highest.take(backend.read_memory(device_id), process_bytes())

    def keep_looking() -> None:
        while not done.wait(SAMPLE_EVERY_S):
            look()

    look()
    watcher = Thread(target=keep_looking, daemon=True)
    watcher.start()
    try:
        yield highest
        look()
    finally:
        done.set()
        watcher.join()

"""How much memory a call takes at its peak, and what for: on any device, with the source named.

Three counts stand side by side. The dispatcher's knows what each tensor is for, on every device, but not what an
operator takes for itself. The allocator's own (the CPU's through the profiler, a device's through its peak counter)
is the truth of the total. The process's own peak holds everything, libraries and caches included. The growth of the
process is *not* a call's peak: a warm heap needs no new pages, and ResNet50 would seem to take 4 KiB.
"""

import gc
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from torchstone import host
from torchstone.backends import Backend, Reading, find_device
from torchstone.measuring.allocator_events import cpu_peak_bytes
from torchstone.measuring.clock import Call
from torchstone.measuring.process_peak import SAMPLED, ProcessPeak, sampling, watch_process
from torchstone.measuring.timing import complete_setup, status_of
from torchstone.records import Measurement, Scalar, Setup

if TYPE_CHECKING:
    import torch

    from torchstone.measuring.allocations import Foresee, Purpose, Timeline

SEEN_BYTES = 1 << 20
"""So large a tensor is counted by every allocator."""
SERIES = ("allocator", "driver", "process")
BY_PROFILER = "the CPU allocator's own count, through torch's profiler"
BY_DEVICE = "the device's own peak counter"
BY_DISPATCHER = "tensors counted at the dispatcher; what operators take for themselves is not seen"


@dataclass(frozen=True)
class MemoryPeak:
    """The most that was held at one moment of a call, and what for. The first six sum to `peak_bytes`."""

    weights_bytes: int
    """Parameters and buffers."""
    gradients_bytes: int
    """Of the parameters."""
    optimizer_bytes: int
    """The optimizer's state."""
    inputs_bytes: int
    """Whatever else was there before the call and is used in it."""
    activations_bytes: int
    """Made by the forward pass."""
    temporaries_bytes: int
    """Made by the backward pass and the optimizer's step, and what operators take for themselves."""
    above_bytes: int
    """The part of the peak that the call added to what was held when it began."""
    source: str
    """Where the total comes from; the division is always the dispatcher's."""
    dispatcher_bytes: int
    """The peak as the dispatcher sees it."""
    device_bytes: int | None = None
    """The device's own peak counter, everything on the device counted."""
    process_bytes: int | None = None
    """The process's own peak, everything in it counted."""
    process_source: str | None = None
    reasons: dict[str, str] = field(default_factory=dict)
    """Why a number is None, by its name."""

    @property
    def peak_bytes(self) -> int:
        return (
            self.weights_bytes
            + self.gradients_bytes
            + self.optimizer_bytes
            + self.inputs_bytes
            + self.activations_bytes
            + self.temporaries_bytes
        )

    def facts(self) -> dict[str, Scalar]:
        """For the record of a measurement."""
        names = ("weights", "gradients", "optimizer", "inputs", "activations", "temporaries", "peak", "above")
        sizes: dict[str, Scalar] = {f"{name}_bytes": getattr(self, f"{name}_bytes") for name in names}
        return {**sizes, "process_bytes": self.process_bytes, "source": self.source}


def measure_memory(
    call: Call,
    *,
    model: "torch.nn.Module | None" = None,
    optimizer: "torch.optim.Optimizer | None" = None,
    device: str = "cpu",
) -> MemoryPeak:
    """The peak of one warm call: it is called three times, and what it raises is raised.

    `call` is a forward pass, or a training step with its `optimizer`. Without `model`, its weights count as inputs.
    """
    backend, found = find_device(device)
    with watch_process() as process:
        total = _count_total(backend, found.id, call)
    timeline = follow_allocations(call, found.id, model, optimizer)
    return _combine(timeline, total, process)


@dataclass(frozen=True)
class _Total:
    """What an allocator says of a call."""

    above_bytes: int | None
    source: str
    device: Reading


def _count_total(backend: Backend, device_id: str, call: Call) -> _Total:
    if device_id == "cpu":
        above = cpu_peak_bytes(call)
        return _Total(above, BY_PROFILER, backend.read_memory(device_id).peak)
    call()
    before = read_series(backend, device_id)["allocator"]
    backend.reset_peak_memory(device_id)
    call()
    backend.synchronize(device_id)
    peak = backend.read_memory(device_id).peak
    if peak.bytes is None or before is None:
        return _Total(None, BY_DISPATCHER, peak)
    return _Total(max(0, peak.bytes - before), BY_DEVICE, peak)


def follow_allocations(
    call: Call,
    device_id: str,
    model: "torch.nn.Module | None",
    optimizer: "torch.optim.Optimizer | None",
    foresee: "Foresee | None" = None,
) -> "Timeline":
    """Run the call once and count at the dispatcher."""
    from torchstone.measuring.allocations import Allocations

    gc.collect()
    allocations = Allocations(device_id.split(":")[0], foresee)
    with allocations, allocations.knowing(model, optimizer):
        output = call()
    del output
    return allocations.timeline


def divide(timeline: "Timeline", above_bytes: int | None, source: str, **rest: Any) -> MemoryPeak:
    """The peak by purpose; where an allocator counted the total, the difference is the operators' own."""
    purposes = dict(timeline.peak())
    seen = sum(purposes.values())
    if above_bytes is not None:
        _add_unseen(purposes, timeline.held_bytes() + above_bytes - seen)
    total = sum(purposes.values())
    return MemoryPeak(
        weights_bytes=purposes["weights"],
        gradients_bytes=purposes["gradients"],
        optimizer_bytes=purposes["optimizer"],
        inputs_bytes=purposes["inputs"],
        activations_bytes=purposes["activations"],
        temporaries_bytes=purposes["temporaries"],
        above_bytes=total - timeline.held_bytes(),
        source=source,
        dispatcher_bytes=seen,
        **rest,
    )


def _add_unseen(purposes: "dict[Purpose, int]", unseen: int) -> None:
    """More than was seen is what operators took; less, as under torch.compile, was never made."""
    purposes["temporaries"] += unseen
    if purposes["temporaries"] < 0:
        purposes["activations"] = max(0, purposes["activations"] + purposes["temporaries"])
        purposes["temporaries"] = 0


def _combine(timeline: "Timeline", total: _Total, process: ProcessPeak) -> MemoryPeak:
    reasons = {} if total.device.bytes is not None else {"device_bytes": total.device.reason or "not counted"}
    if timeline.drop_another_models():
        reasons["weights_bytes"] = "the call uses no weight of the model that was given; its own count as inputs"
    above, source = total.above_bytes, total.source
    if above == 0 and sum(timeline.peak().values()) > timeline.held_bytes():
        above, source = None, f"{BY_DISPATCHER} ({total.source} did not move)"
    return divide(
        timeline,
        above,
        source,
        device_bytes=total.device.bytes,
        process_bytes=process.peak_bytes,
        process_source=process.source,
        reasons=reasons,
    )


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


def stands_still(backend: Backend, device_id: str) -> bool:
    """Whether the device's count of its tensors does not move where one is made: then it sees no leak either."""
    import torch

    before = read_series(backend, device_id)["allocator"]
    tensor = torch.ones(SEEN_BYTES, dtype=torch.uint8, device=device_id)
    after = read_series(backend, device_id)["allocator"]
    del tensor
    return before is not None and before == after


@dataclass
class Highest:
    """The highest that was read of each counter; None where the device has no such counter."""

    allocator: Reading = field(default_factory=lambda: Reading(None))
    driver: Reading = field(default_factory=lambda: Reading(None))

    def look(self, backend: Backend, device_id: str) -> None:
        reading = backend.read_memory(device_id)
        self.allocator = _higher(self.allocator, reading.current)
        self.driver = _higher(self.driver, reading.driver)


def _higher(before: Reading, now: Reading) -> Reading:
    return now if now.bytes is None or before.bytes is None or now.bytes > before.bytes else before


def measure_peak_memory(
    call: Call, *, name: str = "call", device: str = "cpu", setup: Setup | None = None
) -> tuple[Measurement, ...]:
    """Peak bytes of a call above what was held before it: a record each of the allocator, the driver, the process.

    On the CPU it is called twice, because its allocator's count needs that.
    """
    backend, found = find_device(device)
    complete = complete_setup(setup, found.id)
    before = read_series(backend, found.id)
    backend.reset_peak_memory(found.id)
    highest = Highest()
    counted: int | None = None
    try:
        with watch_process() as process, sampling(lambda: highest.look(backend, found.id)):
            if found.id == "cpu":
                counted = cpu_peak_bytes(call)
            else:
                call()
                backend.synchronize(found.id)
    except Exception as error:  # the exception is the result
        status, reason = status_of(error)
        return (
            Measurement(name=name, setup=complete, unit="bytes", quantity="peak memory", status=status, reason=reason),
        )
    peak = backend.read_memory(found.id).peak
    if found.id == "cpu":
        allocator = _record(name, complete, "allocator", 0, Reading(counted), BY_PROFILER)
    elif peak.bytes is not None:
        allocator = _record(name, complete, "allocator", before["allocator"], peak, BY_DEVICE)
    else:
        allocator = _record(name, complete, "allocator", before["allocator"], highest.allocator, SAMPLED)
    return (
        allocator,
        _record(name, complete, "driver", before["driver"], highest.driver, SAMPLED),
        _record(name, complete, "process", process.before_bytes, Reading(process.peak_bytes), process.source),
    )


def _record(name: str, setup: Setup, series: str, before: int | None, peak: Reading, source: str) -> Measurement:
    facts: dict[str, Scalar] = {
        "series": series,
        "source": source,
        "before_bytes": before,
        "peak_bytes": peak.bytes,
    }
    quantity = f"peak memory, {series}"
    if peak.bytes is None or before is None:
        reason = peak.reason or "the device has no such counter"
        return Measurement(
            name=name, setup=setup, unit="bytes", quantity=quantity, status="skipped", reason=reason, facts=facts
        )
    above = float(max(0, peak.bytes - before))
    return Measurement(name=name, setup=setup, unit="bytes", quantity=quantity, samples=(above,), facts=facts)

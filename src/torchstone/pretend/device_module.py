"""`torch.pretend`: what PyTorch and people ask of a device module, as they do of `torch.cuda`."""

from collections import OrderedDict
from types import TracebackType
from typing import Any

import torch

from torchstone.pretend.machine import machine


def is_available() -> bool:
    """Whether the device can be used."""
    return True


def is_initialized() -> bool:
    """There is nothing to initialise."""
    return True


def _is_in_bad_fork() -> bool:
    return False


def _lazy_init() -> None:
    return


def device_count() -> int:
    """How many devices there are."""
    return machine.device_count


def current_device() -> int:
    """The index of the device in use."""
    return 0


def set_device(device: Any) -> None:
    """Choose a device; there is a choice of one that holds tensors."""
    _check_index(device)


def get_device_name(device: Any = None) -> str:
    """A name for people."""
    _check_index(device)
    return "Pretend accelerator"


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """A version, as CUDA has."""
    _check_index(device)
    return (1, 0)


class device:  # noqa: N801 - the name that torch.cuda uses
    """A context in which a device is the current one."""

    def __init__(self, device: Any) -> None:
        _check_index(device)

    def __enter__(self) -> None:
        return

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return


def synchronize(device: Any = None) -> None:
    """Wait until the device has done everything."""
    machine.synchronize()


class Stream:
    """The device's one queue, as `torch.cuda.Stream`."""

    def query(self) -> bool:
        """Whether all is done."""
        return not machine.clock.is_busy()

    def synchronize(self) -> None:
        """Wait until all is done."""
        machine.synchronize()


def current_stream(device: Any = None) -> Stream:
    """The queue in use."""
    return Stream()


class Event:
    """A moment on the device's queue, as `torch.cuda.Event`."""

    def __init__(self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> None:
        self._moment: float | None = None

    def record(self, stream: Any = None) -> None:
        """Mark what has been handed to the device so far."""
        self._moment = max(machine.clock.now(), machine.clock.busy_until)

    def query(self) -> bool:
        """Whether the device has got there."""
        return self._moment is None or machine.clock.now() >= self._moment

    def synchronize(self) -> None:
        """Wait until the device has got there."""
        if self._moment is not None:
            machine.on_synchronize()
            machine.clock.wait_until(self._moment)

    def elapsed_time(self, end_event: "Event") -> float:
        """Milliseconds of device time between two events, as everywhere in PyTorch."""
        if self._moment is None or end_event._moment is None:
            raise RuntimeError("Both events must be recorded before calculating elapsed time.")
        return (end_event._moment - self._moment) * 1000


def memory_allocated(device: Any = None) -> int:
    """Bytes of live tensors, and of leaks."""
    return _count(machine.ledger.current_bytes())


def memory_reserved(device: Any = None) -> int:
    """Bytes that the driver has given out."""
    return _count(machine.ledger.driver_bytes())


def max_memory_allocated(device: Any = None) -> int:
    """The peak of `memory_allocated` since it was reset."""
    return _count(machine.ledger.peak_bytes())


def reset_peak_memory_stats(device: Any = None) -> None:
    """Start the peak anew."""
    _require_counters()
    machine.ledger.reset_peak()


def memory_stats(device: Any = None) -> "OrderedDict[str, int]":
    """The counters under the names that `torch.accelerator` uses."""
    return OrderedDict(
        {
            "allocated_bytes.all.current": memory_allocated(),
            "allocated_bytes.all.peak": max_memory_allocated(),
            "reserved_bytes.all.current": memory_reserved(),
        }
    )


def mem_get_info(device: Any = None) -> tuple[int, int]:
    """Free and total bytes."""
    _require_counters()
    total = machine.knobs.capacity_bytes
    if total is None:
        raise RuntimeError(f"the {machine.name} device has no limit of memory (knob `capacity_bytes`)")
    return max(0, total - machine.ledger.driver_bytes()), total


def empty_cache() -> None:
    """Give unused memory back to the driver."""
    if machine.knobs.empty_cache_frees:
        machine.ledger.empty_cache()
        machine.freed_blocks.clear()


def energy_joules(device: Any = None) -> float:
    """Energy used since the device was installed."""
    return machine.joules()


def get_amp_supported_dtype() -> list[torch.dtype]:
    """What `torch.autocast` may use."""
    rejected = machine.knobs.rejected_dtypes
    return [dtype for dtype in (torch.bfloat16, torch.float16) if str(dtype).removeprefix("torch.") not in rejected]


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether bfloat16 can exist on the device."""
    return "bfloat16" not in machine.knobs.rejected_dtypes


# The device draws from the CPU's generator: PyTorch takes a device's own only from C++.
def manual_seed(seed: int) -> None:
    """Nothing to seed: see above."""


def manual_seed_all(seed: int) -> None:
    """Nothing to seed: see above."""


def get_rng_state(device: Any = None) -> torch.Tensor:
    """The state of the generator that the device draws from."""
    return torch.get_rng_state()


def set_rng_state(state: torch.Tensor, device: Any = None) -> None:
    """Set the generator that the device draws from."""
    torch.set_rng_state(state)


def _check_index(wanted: Any) -> None:
    index = torch.device(wanted).index if isinstance(wanted, (str, torch.device)) else wanted
    if index is not None and index >= machine.device_count:
        raise RuntimeError(f"{machine.name} error: invalid device ordinal {index}")


def _count(nbytes: int) -> int:
    _require_counters()
    return 0 if machine.knobs.frozen_counters else nbytes


def _require_counters() -> None:
    if not machine.knobs.counters:
        raise RuntimeError(f"the {machine.name} device does not report its memory")

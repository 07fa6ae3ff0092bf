"""Every out-of-tree accelerator (PrivateUse1) through its own device module, listed by `torch.accelerator` or not.

Such a device registers a module (`torch.vulkan`, `torch.npu`, …) whose functions follow the names of `torch.cuda`,
each of them optional. What a module does not offer is None with that reason; nothing is assumed of any vendor.
"""

import sys
from typing import Any

from torchstone import host
from torchstone.backends import IN_TREE, EnergyCounter, MemoryReading, NoEnergyCounter, Reading, absent
from torchstone.errors import first_line_of
from torchstone.records import Device, Fact, Finding

UNCLAIMED = "privateuseone"
"""What PrivateUse1 is called until a package takes it."""


def _name() -> str | None:
    """The out-of-tree accelerator of this process, if one is registered; a process can hold only one."""
    import torch

    current = torch.accelerator.current_accelerator()
    if current is not None:
        return None if current.type in IN_TREE else current.type
    # A package that only renames PrivateUse1 and brings a module, but no hooks, is not listed there.
    name: str = torch._C._get_privateuse1_backend_name()
    return name if name != UNCLAIMED and hasattr(torch, name) else None


def _module(device_id: str) -> Any:
    import torch

    return torch.get_device_module(device_id.split(":")[0])


def find_devices() -> tuple[Device, ...]:
    name = _name()
    if name is None:
        return ()
    module = _module(name)
    return tuple(_device(name, module, index) for index in range(_ask(module, "device_count") or 0))


def _device(name: str, module: Any, index: int) -> Device:
    properties = _ask(module, "get_device_properties", index)
    total = getattr(properties, "total_memory", None)
    driver = _plain(getattr(properties, "driver_version", None))
    facts = {
        "package": Fact(value=_package_of(module), source="the device module"),
        "driver": Fact(
            value=driver,
            source=f"torch.{name}.get_device_properties",
            reason="the device module names none" if driver is None else None,
        ),
        "system": Fact(value=host.os_name(), source="platform"),
    }
    return Device(
        id=f"{name}:{index}",
        kind=name,
        vendor="out of tree",
        name=str(_ask(module, "get_device_name", index) or name),
        memory_bytes=total if isinstance(total, int) else None,
        unified_memory=None,
        facts=facts,
    )


def _plain(value: object) -> str | int | None:
    return value if isinstance(value, str | int) or value is None else str(value)


def _package_of(module: Any) -> str:
    package = str(getattr(module, "__name__", type(module).__module__)).split(".")[0]
    version = getattr(sys.modules.get(package), "__version__", None)
    return f"{package} {version}" if version else package


def _ask(module: Any, function: str, *arguments: object) -> Any:
    """What the module's function says, or None where it has none or it fails: every one of them is optional."""
    try:
        return getattr(module, function)(*arguments)
    except Exception:  # out-of-tree modules raise anything; for an optional fact, not knowing is the answer
        return None


def explain_absence() -> Finding | None:
    if _name() is not None:
        return None
    return absent(
        "out-of-tree",
        "no out-of-tree accelerator is registered with torch in this process",
        "install the accelerator's package, then give --device NAME, or name the package in TORCHSTONE_IMPORT",
    )


def synchronize(device_id: str) -> None:
    module = _module(device_id)
    if hasattr(module, "synchronize"):
        module.synchronize(device_id)
        return
    import torch

    torch.accelerator.synchronize(device_id)


def read_memory(device_id: str) -> MemoryReading:
    module = _module(device_id)
    return MemoryReading(
        current=_reading(module, "memory_allocated", device_id),
        driver=_reading(module, "memory_reserved", device_id),
        peak=_reading(module, "max_memory_allocated", device_id),
    )


def _reading(module: Any, function: str, device_id: str) -> Reading:
    if not hasattr(module, function):
        return Reading(None, f"the device module has no {function}()")
    try:
        return Reading(int(getattr(module, function)(device_id)))
    except Exception as error:  # the same: any exception means that the counter can't be had, and says why
        return Reading(None, f"{function}() failed: {first_line_of(error)}")


def reset_peak_memory(device_id: str) -> None:
    _ask(_module(device_id), "reset_peak_memory_stats", device_id)


def empty_cache(device_id: str) -> None:
    _ask(_module(device_id), "empty_cache")


def energy_counter(device_id: str) -> EnergyCounter | NoEnergyCounter:
    """Torch defines none; a device module may offer `energy_joules(device)`, a running total."""
    module = _module(device_id)
    if not hasattr(module, "energy_joules"):
        return NoEnergyCounter("the device module has no energy_joules(); torch itself defines no energy counter")
    try:
        module.energy_joules(device_id)
    except Exception as error:  # the same: any exception means that the counter can't be had, and says why
        return NoEnergyCounter(f"energy_joules() failed: {error}")
    return ModuleCounter(module, device_id)


class ModuleCounter:
    """What an out-of-tree device module counts of its own energy."""

    def __init__(self, module: Any, device_id: str) -> None:
        self._module, self._device_id = module, device_id
        self.source = f"the device module's energy_joules() ({_package_of(module)})"

    def read_joules(self) -> float:
        return float(self._module.energy_joules(self._device_id))

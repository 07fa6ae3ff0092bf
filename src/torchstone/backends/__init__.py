"""The devices: one file per vendor, and the only place where vendor calls stand.

The folder is the registry: every module here is a backend and offers the functions of the `Backend` protocol. The
file named `accelerator` serves every out-of-tree device (PrivateUse1) alike. A device of another kind is brought by
somebody else's module with the same functions: named by an entry point of the group `torchstone.backends`, or by
TORCHSTONE_IMPORT.
"""

import importlib
import importlib.metadata
import importlib.util
import inspect
import os
import pkgutil
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Protocol, cast

from torchstone.errors import UserError
from torchstone.processes import fork_is_safe
from torchstone.records import Device, Finding

OLDEST_TORCH = (2, 10)
IN_TREE = ("cpu", "cuda", "mps", "xpu", "meta", "mtia")
"""Device types that torch itself ships; any other is out of tree."""
IMPORT_VARIABLE = "TORCHSTONE_IMPORT"
"""Packages to import before looking for devices, comma-separated: how an unknown device is brought in."""
ENTRY_POINTS = "torchstone.backends"
"""The group in which an installed package names its module that is a backend."""
PACKAGES_OF_DEVICES = {
    "vulkan": "torchvulkan",
    "npu": "torch_npu",
    "hpu": "habana_frameworks.torch",
    "musa": "torch_musa",
    "mlu": "torch_mlu",
    "sdaa": "torch_sdaa",
    "openreg": "torch_openreg",
}
"""Out-of-tree devices by name and the package that registers each; TORCHSTONE_IMPORT brings in any other."""


@dataclass(frozen=True)
class Reading:
    """A number of bytes, or None with the reason why the device can't tell."""

    bytes: int | None
    reason: str | None = None


@dataclass(frozen=True)
class MemoryReading:
    """What a device says of its memory: the allocator's bytes, the driver's bytes, and the highest so far."""

    current: Reading
    driver: Reading
    peak: Reading


class EnergyCounter(Protocol):
    """A hardware counter of energy used since some moment."""

    @property
    def source(self) -> str:
        """Where the figure comes from and what it covers."""
        ...

    def read_joules(self) -> float:
        """A running total; only differences mean anything."""
        ...


@dataclass(frozen=True)
class NoEnergyCounter:
    """Why no energy can be measured; an estimate from a TDP is not a measurement."""

    reason: str


class Backend(Protocol):
    """What every file in this folder offers. Device ids are those that torch understands (`cuda:0`)."""

    def find_devices(self) -> tuple[Device, ...]:
        """The devices present, with their facts."""
        ...

    def explain_absence(self) -> Finding | None:
        """Why there is none, and what to do; None where there is one, or where nobody would expect one."""
        ...

    def synchronize(self, device_id: str) -> None:
        """Wait until everything asked of the device is done."""
        ...

    def read_memory(self, device_id: str) -> MemoryReading:
        """The device's own counters, now."""
        ...

    def reset_peak_memory(self, device_id: str) -> None:
        """Start the peak counter anew; nothing where there is none."""
        ...

    def empty_cache(self, device_id: str) -> None:
        """Give cached memory back to the driver."""
        ...

    def energy_counter(self, device_id: str) -> EnergyCounter | NoEnergyCounter:
        """The counter that covers this device, or why there is none."""
        ...


def absent(kind: str, why: str, hint: str) -> Finding:
    """The finding that says why a kind of device is not here."""
    return Finding(kind="device", subject=kind, verdict="absent", tier="stated", evidence=why, hint=hint)


def backend_names() -> tuple[str, ...]:
    """The backends in the folder: `cpu` first, the others by name."""
    names = (module.name for module in pkgutil.iter_modules(__path__))
    return tuple(sorted(names, key=lambda name: (name != "cpu", name)))


def load_backend(name: str) -> Backend:
    """The module of that name, which is a `Backend`."""
    module: ModuleType = importlib.import_module(f"{__name__}.{name}")
    return cast(Backend, module)


def third_party_backends() -> tuple[dict[str, Backend], tuple[Finding, ...]]:
    """The backends that installed packages and TORCHSTONE_IMPORT bring, by name; and why others can't be used."""
    backends: dict[str, Backend] = {}
    faults: list[Finding] = []
    for entry in importlib.metadata.entry_points(group=ENTRY_POINTS):
        try:
            backends[entry.name] = _checked(entry.load(), entry.name)
        except Exception as error:  # somebody else's package must not keep us from the devices that work
            why = f"its entry point {entry.value} can't be used: {error}"
            faults.append(absent(entry.name, why, "ask the package's authors, or uninstall it"))
    for package in _named_packages():
        module = _import(package, IMPORT_VARIABLE)
        if hasattr(module, "find_devices"):
            backends[package] = _checked(module, package)
    return backends, tuple(faults)


def _named_packages() -> list[str]:
    return [name for name in map(str.strip, os.environ.get(IMPORT_VARIABLE, "").split(",")) if name]


def _checked(module: object, name: str) -> Backend:
    wanted = [function for function, _ in inspect.getmembers(Backend, inspect.isfunction) if function[0] != "_"]
    missing = [function for function in wanted if not callable(getattr(module, function, None))]
    if missing:
        raise UserError(
            f"the backend {name} lacks {', '.join(missing)}",
            "a backend offers the functions of torchstone.backends.Backend; see docs/devices.md",
        )
    return cast(Backend, module)


def require_torch() -> None:
    """Import torch, and refuse one that is too old, with a sentence instead of an AttributeError later."""
    try:
        import torch
    except (ImportError, OSError) as error:  # OSError where a library that it loads is missing
        raise UserError(f"torch cannot be imported: {error}", "install it: pip install 'torch>=2.10'") from None
    version = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2])
    if version < OLDEST_TORCH:
        oldest = ".".join(map(str, OLDEST_TORCH))
        raise UserError(
            f"torch {torch.__version__} is too old: torchstone needs {oldest} or newer",
            f"upgrade it: pip install -U 'torch>={oldest}'",
        )


def find_devices() -> tuple[Device, ...]:
    """Every device of this machine that torch can use, the CPU first."""
    return tuple(device for _, device in _found())


def find_absences() -> tuple[Finding, ...]:
    """Why each kind of device that is not here is not here."""
    require_torch()
    others, faults = third_party_backends()
    backends = [*(load_backend(name) for name in backend_names()), *others.values()]
    findings = (backend.explain_absence() for backend in backends)
    return (*(finding for finding in findings if finding is not None), *faults)


def find_device(wanted: str) -> tuple[Backend, Device]:
    """The device that a person names: `cuda`, `cuda:1`, `mps`, `vulkan`, or a kind such as `rocm`."""
    import_package_of(wanted)
    found = _found()
    for backend, device in found:
        if wanted in (device.id, f"{device.id}:0", device.id.split(":")[0], device.kind):
            return backend, device
    here = ", ".join(device.id for _, device in found)
    raise UserError(f"no device {wanted!r} here; this machine has: {here}", _hint_for(wanted))


def best_device() -> tuple[Backend, Device]:
    """The first accelerator where there is one, else the CPU."""
    found = _found()
    return found[1] if len(found) > 1 else found[0]


def may_be_forked(kinds: Iterable[str]) -> bool:
    """Whether workers for these devices may be forked from a process that has torch loaded: where every device allows
    it, or comes by a package that the worker imports itself, so that its runtime starts after the fork. One that torch
    loads by itself would be there before."""
    own = [kind for kind in kinds if not fork_is_safe(kind)]
    starts_late = all(kind in PACKAGES_OF_DEVICES for kind in own)
    return fork_is_safe() and starts_late and not importlib.metadata.entry_points(group="torch.backends")


def import_package_of(wanted: str) -> None:
    """Import the package that brings an out-of-tree device: one that we know, or that a person has named."""
    require_torch()
    name = wanted.split(":")[0]
    if name == "pretend":
        import torchstone.pretend

        torchstone.pretend.install()
        _found.cache_clear()
    elif name not in IN_TREE and name not in PACKAGES_OF_DEVICES:
        third_party_backends()  # whoever brings it is imported by that
    package = PACKAGES_OF_DEVICES.get(name)
    if package is not None and _is_installed(package):
        _refuse_second_accelerator(name)
        _import(package, f"--device {wanted}")


@cache
def _found() -> tuple[tuple[Backend, Device], ...]:
    require_torch()
    others, _ = third_party_backends()
    backends = [*(load_backend(name) for name in backend_names()), *others.values()]
    return tuple((backend, device) for backend in backends for device in backend.find_devices())


def _refuse_second_accelerator(name: str) -> None:
    """PyTorch has one slot for an out-of-tree device; a second one ends the process without an exception."""
    import torch

    holder = torch._C._get_privateuse1_backend_name()
    if holder not in ("privateuseone", name):
        raise UserError(
            f"this process already holds the out-of-tree device {holder!r}, so {name!r} cannot join it",
            "use the two in different processes",
        )


def _is_installed(package: str) -> bool:
    return importlib.util.find_spec(package.split(".")[0]) is not None


def _import(package: str, asked_by: str) -> ModuleType:
    known = package in sys.modules
    try:
        module = importlib.import_module(package)
    except Exception as error:  # an accelerator's package may raise anything when its driver is missing
        raise UserError(
            f"{package} (asked for by {asked_by}) cannot be imported: {error}",
            "see whether its driver is installed, or leave that device out",
        ) from None
    if not known:
        _found.cache_clear()
    return module


def _hint_for(wanted: str) -> str:
    package = PACKAGES_OF_DEVICES.get(wanted.split(":")[0])
    if package is not None:
        return f"that device comes with a package: pip install {package.split('.')[0]}"
    return "`torchstone devices` lists what is here, what is not, and why"

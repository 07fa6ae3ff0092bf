"""Apple silicon's GPU through Metal (MPS): one device, memory shared with the CPU; newer torch counts its peak."""

import contextlib
import re
import sys
from collections.abc import Callable
from typing import Any

from torchstone import host
from torchstone.backends import EnergyCounter, MemoryReading, NoEnergyCounter, Reading, absent
from torchstone.records import Device, Fact, Finding

_NO_PEAK = "this torch counts no peak for MPS; peaks are sampled while the work runs"
_PEAK = "allocated_bytes.all.peak"
_MILLIJOULES = 1e-3


def find_devices() -> tuple[Device, ...]:
    import torch

    if not torch.backends.mps.is_available():
        return ()
    facts = {
        "GPU cores": _gpu_cores(),
        "driver": Fact(value=host.os_name(), source="platform", reason=None),
        "memory the driver recommends at most, bytes": Fact(
            value=torch.mps.recommended_max_memory(), source="torch.mps.recommended_max_memory"
        ),
        "system": Fact(value=host.os_name(), source="platform"),
    }
    import psutil

    return (
        Device(
            id="mps",
            kind="mps",
            vendor="Apple",
            name=f"{host.chip_name()} GPU",
            memory_bytes=psutil.virtual_memory().total,
            unified_memory=True,
            facts=facts,
        ),
    )


def _gpu_cores() -> Fact:
    source = "ioreg, AGXAccelerator"
    text = host.run_tool("ioreg", "-rc", "AGXAccelerator", "-d", "1") or ""
    match = re.search(r'"gpu-core-count"\s*=\s*(\d+)', text)
    if match is None:
        return Fact(value=None, source=source, reason="the registry names no GPU core count")
    return Fact(value=int(match.group(1)), source=source)


def explain_absence() -> Finding | None:
    import torch

    if torch.backends.mps.is_available():
        return None
    if sys.platform != "darwin":
        return absent("mps", f"MPS is Apple's; this is {sys.platform}", "nothing to do")
    if host.under_rosetta():
        return absent(
            "mps",
            "this Python is built for Intel and runs under Rosetta",
            "install an arm64 Python (from python.org or Homebrew in /opt/homebrew) and torch in it",
        )
    if not torch.backends.mps.is_built():
        return absent("mps", f"this torch ({torch.__version__}) is built without MPS", "pip install -U torch")
    return absent("mps", "this macOS or this Mac has no Metal 3 support", "macOS 14 or newer on Apple silicon has it")


def synchronize(device_id: str) -> None:
    import torch

    torch.mps.synchronize()


def read_memory(device_id: str) -> MemoryReading:
    import torch

    return MemoryReading(
        current=Reading(torch.mps.current_allocated_memory()),
        driver=Reading(torch.mps.driver_allocated_memory()),
        peak=_read_peak(),
    )


def _read_peak() -> Reading:
    """From torch 2.13 or so on (pytorch#186748); older ones raise, or say nothing, or 0 while memory is in use."""
    import torch

    try:
        peak = torch.accelerator.memory_stats().get(_PEAK)
    except (RuntimeError, AttributeError):
        return Reading(None, _NO_PEAK)
    return Reading(int(peak)) if peak else Reading(None, _NO_PEAK)


def reset_peak_memory(device_id: str) -> None:
    import torch

    with contextlib.suppress(RuntimeError, AttributeError):
        torch.accelerator.reset_peak_memory_stats()


def empty_cache(device_id: str) -> None:
    import torch

    torch.mps.empty_cache()


def energy_counter(device_id: str) -> EnergyCounter | NoEnergyCounter:
    try:
        from zeus_apple_silicon import AppleEnergyMonitor
    except ImportError:
        return NoEnergyCounter("zeus-apple-silicon is not installed: pip install 'torchstone[energy]'")
    monitor = AppleEnergyMonitor()
    if monitor.get_cumulative_energy().gpu_mj is None:
        return NoEnergyCounter("this chip's IOReport names no energy of the GPU")
    return AppleGpuCounter(monitor)


class AppleGpuCounter:
    """The GPU's energy as Apple's IOReport counts it."""

    source = "Apple IOReport through zeus-apple-silicon (GPU)"

    def __init__(self, monitor: object) -> None:
        self._monitor = monitor

    def read_joules(self) -> float:
        return float(self._monitor.get_cumulative_energy().gpu_mj) * _MILLIJOULES  # type: ignore[attr-defined]


def watch_shaders(replace: Callable[[Callable[[str], Any]], Callable[[str], Any]]) -> None:
    """Put another compiler of Metal source in the place of torch's own, which it is given."""
    import torch

    torch.mps.compile_shader = replace(torch.mps.compile_shader)  # type: ignore[assignment]

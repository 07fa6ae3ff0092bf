"""The CPU: always there, always synchronous; torch keeps no counters of its memory."""

import sys
from pathlib import Path

from torchstone import host
from torchstone.backends import EnergyCounter, MemoryReading, NoEnergyCounter, Reading
from torchstone.records import Device, Fact, Finding

POWERCAP = Path("/sys/class/powercap")
_NO_COUNTER = "torch keeps no memory counters on the CPU; the process's own footprint is measured instead"
_MICROJOULES = 1e-6
_MILLIJOULES = 1e-3


def find_devices() -> tuple[Device, ...]:
    import psutil
    import torch

    chip = host.chip_name()
    limit = host.container_cpu_limit()
    cores = host.physical_cores()
    facts = {
        "physical cores": Fact(
            value=cores, source="psutil", reason="the system does not say" if cores is None else None
        ),
        "usable cores": Fact(value=host.usable_cores(), source="scheduler affinity"),
        "container limit, cores": limit,
        "threads": Fact(value=torch.get_num_threads(), source="torch.get_num_threads"),
        "vector instructions": Fact(
            value=torch.backends.cpu.get_cpu_capability(), source="torch.backends.cpu.get_cpu_capability"
        ),
        "system": Fact(value=host.os_name(), source="platform"),
    }
    memory_bytes = psutil.virtual_memory().total
    return (
        Device(
            id="cpu",
            kind="cpu",
            vendor=host.chip_vendor(chip),
            name=chip,
            memory_bytes=memory_bytes,
            unified_memory=True,
            facts=facts,
        ),
    )


def explain_absence() -> Finding | None:
    return None


def synchronize(device_id: str) -> None:
    """Eager CPU operators have ended when they return."""


def read_memory(device_id: str) -> MemoryReading:
    none = Reading(None, _NO_COUNTER)
    return MemoryReading(current=none, driver=none, peak=none)


def reset_peak_memory(device_id: str) -> None:
    """There is no peak counter."""


def empty_cache(device_id: str) -> None:
    """There is no cache that torch could empty."""


def energy_counter(device_id: str) -> EnergyCounter | NoEnergyCounter:
    if sys.platform == "darwin":
        return _apple_counter()
    return rapl_counter(POWERCAP)


def rapl_counter(powercap: Path) -> EnergyCounter | NoEnergyCounter:
    """The packages' RAPL counters under a powercap folder, or why they can't be read."""
    # Only whole packages: a package holds its cores and memory, and `psys` the packages, so they would count twice.
    zones = [
        zone for zone in sorted(powercap.glob("intel-rapl:*")) if (host.read_text(zone / "name") or "")[:7] == "package"
    ]
    if not zones:
        return NoEnergyCounter(f"{powercap} shows no RAPL counter (usual in a virtual machine)")
    closed = [zone for zone in zones if host.read_text(zone / "energy_uj") is None]
    if closed:
        return NoEnergyCounter(
            f"{closed[0] / 'energy_uj'} is closed to this user: the system's administrator can open it for reading"
        )
    return RaplCounter(zones)


class RaplCounter:
    """The sum of the processor packages' energy, with the counters' wrap-around taken out."""

    def __init__(self, zones: list[Path]) -> None:
        names = ", ".join(host.read_text(zone / "name") or zone.name for zone in zones)
        self.source = f"RAPL ({names}; whole processor packages)"
        self._zones = zones
        self._ranges = [int(host.read_text(zone / "max_energy_range_uj") or 0) for zone in zones]
        self._last = [self._read(zone) for zone in zones]
        self._total_microjoules = 0

    def _read(self, zone: Path) -> int:
        return int(host.read_text(zone / "energy_uj") or 0)

    def read_joules(self) -> float:
        for position, zone in enumerate(self._zones):
            now = self._read(zone)
            step = now - self._last[position]
            self._total_microjoules += step if step >= 0 else step + self._ranges[position]
            self._last[position] = now
        return self._total_microjoules * _MICROJOULES


def _apple_counter() -> EnergyCounter | NoEnergyCounter:
    try:
        from zeus_apple_silicon import AppleEnergyMonitor
    except ImportError:
        return NoEnergyCounter("zeus-apple-silicon is not installed: pip install 'torchstone[energy]'")
    monitor = AppleEnergyMonitor()
    if monitor.get_cumulative_energy().cpu_total_mj is None:
        return NoEnergyCounter("this chip's IOReport names no energy of the CPU")
    return AppleCpuCounter(monitor)


class AppleCpuCounter:
    """The CPU clusters' energy as Apple's IOReport counts it."""

    source = "Apple IOReport through zeus-apple-silicon (CPU clusters)"

    def __init__(self, monitor: object) -> None:
        self._monitor = monitor

    def read_joules(self) -> float:
        return float(self._monitor.get_cumulative_energy().cpu_total_mj) * _MILLIJOULES  # type: ignore[attr-defined]

"""Facts of the machine around the devices: system, chip, cores, containers, power and load, each with its source.

Read from the system's own files and tools; nothing here imports torch. A fact that can't be had is None with a
reason. `root` stands for the file system's root, so that tests read machines that they made up.
"""

import os
import platform
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import psutil

from torchstone.records import Fact

ROOT = Path("/")
_TOOL_SECONDS = 10
_DISPLAY_CLASSES = ("0x0300", "0x0302", "0x0380", "0x1200")
"""PCI classes of graphics cards and processing accelerators (VGA, 3D, display, accelerator)."""
PCI_VENDORS = {"0x10de": "NVIDIA", "0x1002": "AMD", "0x8086": "Intel"}
_VENDOR_FILES = {"NVIDIA": "proc/driver/nvidia/version", "AMD": "dev/kfd"}


@dataclass(frozen=True)
class PowerState:
    """Whether the machine is held back to save energy; None where the system does not say."""

    on_battery: bool | None
    low_power: bool | None
    source: str


def run_tool(*command: str) -> str | None:
    """What a system tool prints, or None where it is missing, fails or takes too long."""
    if shutil.which(command[0]) is None:
        return None
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=_TOOL_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def read_text(path: Path) -> str | None:
    """A system file's text, or None where it is missing or closed to us."""
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return None


def os_name() -> str:
    """The system with its version, as people call it."""
    if sys.platform == "darwin":
        return f"macOS {platform.mac_ver()[0]} ({platform.machine()})"
    if sys.platform == "linux":
        try:
            name = platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")
        except OSError:
            name = "Linux"
        return f"{name}, kernel {platform.release()} ({platform.machine()})"
    return f"{platform.system()} {platform.version()} ({platform.machine()})"


def chip_name(root: Path = ROOT) -> str:
    """The processor's marketing name."""
    if sys.platform == "darwin":
        name = run_tool("sysctl", "-n", "machdep.cpu.brand_string")
        return name.strip() if name else platform.processor()
    text = read_text(root / "proc/cpuinfo") or ""
    match = re.search(r"^(?:model name|Hardware|Model)\s*:\s*(.+)$", text, re.MULTILINE)
    return match.group(1).strip() if match else platform.processor() or platform.machine()


def chip_vendor(chip: str) -> str:
    """The processor's maker, from its name."""
    for vendor in ("Intel", "AMD", "Apple", "Qualcomm", "Ampere", "NVIDIA", "ARM"):
        if vendor.lower() in chip.lower():
            return vendor
    return "unknown"


def physical_cores() -> int | None:
    """Cores without hyper-threads; None where the system does not say."""
    return psutil.cpu_count(logical=False)


def usable_cores() -> int:
    """Logical processors that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return psutil.cpu_count() or 1


def container_cpu_limit(root: Path = ROOT) -> Fact:
    """How many cores the control group grants; None with a reason where there is no limit."""
    unified = read_text(root / "sys/fs/cgroup/cpu.max")
    if unified is not None:
        quota, _, period = unified.partition(" ")
        return _quota_fact(quota, period, "/sys/fs/cgroup/cpu.max")
    folder = root / "sys/fs/cgroup/cpu"
    quota_text, period_text = read_text(folder / "cpu.cfs_quota_us"), read_text(folder / "cpu.cfs_period_us")
    if quota_text is not None and period_text is not None:
        return _quota_fact(quota_text, period_text, "/sys/fs/cgroup/cpu/cpu.cfs_quota_us")
    return Fact(value=None, source="control groups", reason="no CPU limit is set for this process")


def _quota_fact(quota: str, period: str, source: str) -> Fact:
    if quota in ("max", "-1") or not quota.isdigit() or not period.isdigit() or period == "0":
        return Fact(value=None, source=source, reason="no CPU limit is set")
    return Fact(value=int(quota) / int(period), source=source)


def load_per_core() -> Fact:
    """Runnable processes of the last minute per core: above about 0.2 before we start, others are at work."""
    try:
        return Fact(value=os.getloadavg()[0] / usable_cores(), source="getloadavg, 1 minute")
    except (OSError, AttributeError):
        return Fact(value=None, source="getloadavg", reason="this system keeps no load average")


def power_state(root: Path = ROOT) -> PowerState:
    """Battery and low-power mode, from the system's own words."""
    if sys.platform == "darwin":
        settings, battery = run_tool("pmset", "-g") or "", run_tool("pmset", "-g", "batt") or ""
        return power_state_from_pmset(settings, battery)
    on_battery = _on_battery(root)
    profile = read_text(root / "sys/firmware/acpi/platform_profile")
    governor = read_text(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    driver = read_text(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_driver") or ""
    # intel_pstate and amd-pstate call their normal, fully dynamic mode "powersave"; elsewhere it pins the lowest clock.
    slow_governor = governor == "powersave" and "pstate" not in driver
    known = profile is not None or governor is not None
    low_power = (profile == "low-power" or slow_governor) if known else None
    return PowerState(on_battery, low_power, "/sys/class/power_supply, platform_profile, scaling_governor")


def power_state_from_pmset(settings: str, battery: str) -> PowerState:
    """macOS's power state out of `pmset -g` and `pmset -g batt`."""
    match = re.search(r"^\s*(?:lowpowermode|powermode)\s+(\d)", settings, re.MULTILINE)
    on_battery = "Battery Power" in battery if battery else None
    return PowerState(on_battery, match.group(1) == "1" if match else None, "pmset -g")


def _on_battery(root: Path) -> bool | None:
    supplies = sorted((root / "sys/class/power_supply").glob("*"))
    mains = [supply for supply in supplies if read_text(supply / "type") == "Mains"]
    if mains:
        return all(read_text(supply / "online") == "0" for supply in mains)
    # Laptops fed through USB-C alone show no mains; a mouse's battery has the scope of a device.
    batteries = [supply for supply in supplies if read_text(supply / "type") == "Battery"]
    states = [read_text(supply / "status") for supply in batteries if read_text(supply / "scope") != "Device"]
    return "Discharging" in states if states else None


def thermal_throttling(root: Path = ROOT) -> Fact:
    """How often the processor has been slowed for heat since start-up; it is the increase that tells."""
    if sys.platform == "darwin":
        text = run_tool("pmset", "-g", "therm") or ""
        match = re.search(r"CPU_Speed_Limit\s*=\s*(\d+)", text)
        if match:
            return Fact(value=int(match.group(1)) < 100, source="pmset -g therm")
        return Fact(value=None, source="pmset -g therm", reason="macOS has recorded no speed limit")
    counters = (root / "sys/devices/system/cpu").glob("cpu*/thermal_throttle/core_throttle_count")
    counts = [int(text) for path in counters if (text := read_text(path)) and text.isdigit()]
    source = "/sys/devices/system/cpu/*/thermal_throttle"
    if not counts:
        return Fact(value=None, source=source, reason="the system shows no throttle counter (usual in a VM)")
    return Fact(value=sum(counts), source=source)


def under_rosetta() -> bool:
    """Whether this Python was built for Intel and runs translated on Apple silicon."""
    if sys.platform != "darwin":
        return False
    return (run_tool("sysctl", "-n", "sysctl.proc_translated") or "").strip() == "1"


def graphics_cards(root: Path = ROOT) -> tuple[str, ...]:
    """The makers of the graphics cards and accelerators that the system sees, whether torch can use them or not."""
    found = {vendor for vendor, path in _VENDOR_FILES.items() if (root / path).exists()}
    for device in (root / "sys/bus/pci/devices").glob("*"):
        vendor = PCI_VENDORS.get(read_text(device / "vendor") or "")
        if vendor and (read_text(device / "class") or "")[:6] in _DISPLAY_CLASSES:
            found.add(vendor)
    return tuple(sorted(found))


def process_memory_bytes() -> int:
    """This process's own footprint: on macOS the physical footprint that Activity Monitor shows, else RSS."""
    if sys.platform == "darwin":
        return int(psutil.Process().memory_full_info().uss)
    return int(psutil.Process().memory_info().rss)

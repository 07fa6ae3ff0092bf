"""What on this machine would spoil a measurement or hide a device, and what to do about it.

Each remark is a pure function of `Signs`, so every illness can be tried on any machine.
"""

import importlib.util
import os
import sys
from dataclasses import dataclass

from torchstone import host
from torchstone.backends import PACKAGES_OF_DEVICES
from torchstone.host import PowerState
from torchstone.records import Finding, Scalar

FALLBACK_VARIABLE = "PYTORCH_ENABLE_MPS_FALLBACK"


@dataclass(frozen=True)
class Signs:
    """What the doctor looks at."""

    torch_version: str
    torch_built_for: tuple[str, ...]
    """Of `NVIDIA`, `AMD`: the makers whose cards this torch was built for."""
    torch_threads: int
    graphics_cards: tuple[str, ...]
    under_rosetta: bool
    power: PowerState
    mps_fallback: str | None
    physical_cores: int | None
    usable_cores: int
    container_cpu_limit: float | None
    idle_packages: tuple[tuple[str, str], ...]
    """Accelerator packages that are installed but not imported, with the device each would bring."""


def read_signs() -> Signs:
    """The signs of this machine."""
    import torch

    limit = host.container_cpu_limit().value
    built_for = ("AMD",) if torch.version.hip else ("NVIDIA",) if torch.version.cuda else ()
    return Signs(
        torch_version=str(torch.__version__),
        torch_built_for=built_for,
        torch_threads=torch.get_num_threads(),
        graphics_cards=host.graphics_cards(),
        under_rosetta=host.under_rosetta(),
        power=host.power_state(),
        mps_fallback=os.environ.get(FALLBACK_VARIABLE),
        physical_cores=host.physical_cores(),
        usable_cores=host.usable_cores(),
        container_cpu_limit=limit if isinstance(limit, float | int) else None,
        idle_packages=_idle_packages(),
    )


def _idle_packages() -> tuple[tuple[str, str], ...]:
    return tuple(
        (package, device)
        for device, package in PACKAGES_OF_DEVICES.items()
        if package not in sys.modules and importlib.util.find_spec(package.split(".")[0]) is not None
    )


def examine(signs: Signs) -> tuple[Finding, ...]:
    """All remarks, the gravest first."""
    remarks = (
        _cpu_only_torch,
        _rosetta,
        _mps_fallback,
        _power,
        _container_limit,
        _few_threads,
        _idle_accelerators,
    )
    return tuple(finding for remark in remarks for finding in remark(signs))


def _finding(subject: str, evidence: str, hint: str, **facts: Scalar) -> Finding:
    return Finding(
        kind="doctor",
        subject=subject,
        verdict="warning",
        level="warning",
        tier="stated",
        evidence=evidence,
        hint=hint,
        facts=facts,
    )


def _cpu_only_torch(signs: Signs) -> list[Finding]:
    unused = [card for card in signs.graphics_cards if card in ("NVIDIA", "AMD") and card not in signs.torch_built_for]
    if not unused or signs.torch_built_for:
        return []
    return [
        _finding(
            "CPU-only torch",
            f"there is a card by {' and '.join(unused)}, but torch {signs.torch_version} is built for the CPU only",
            "install a build of torch for that card: the selector on pytorch.org names the pip command",
        )
    ]


def _rosetta(signs: Signs) -> list[Finding]:
    if not signs.under_rosetta:
        return []
    return [
        _finding(
            "Rosetta",
            "this Python is built for Intel and runs translated on Apple silicon: slow, and without MPS",
            "install an arm64 Python and torch in it",
        )
    ]


def _mps_fallback(signs: Signs) -> list[Finding]:
    if signs.mps_fallback in (None, "", "0"):
        return []
    return [
        _finding(
            FALLBACK_VARIABLE,
            f"{FALLBACK_VARIABLE}={signs.mps_fallback}: operators missing on MPS run on the CPU, slowly and in silence",
            f"unset {FALLBACK_VARIABLE} while measuring, to see which operators are missing",
        )
    ]


def _power(signs: Signs) -> list[Finding]:
    found = []
    if signs.power.low_power:
        found.append(
            _finding(
                "low-power mode",
                f"the machine is held back to save energy ({signs.power.source})",
                "switch low-power mode off while measuring",
            )
        )
    if signs.power.on_battery:
        found.append(
            _finding(
                "battery", f"the machine runs on battery ({signs.power.source})", "plug it in: most machines slow down"
            )
        )
    return found


def _container_limit(signs: Signs) -> list[Finding]:
    limit = signs.container_cpu_limit
    if limit is None or limit >= signs.usable_cores:
        return []
    return [
        _finding(
            "container CPU limit",
            f"the container grants {limit:g} of {signs.usable_cores} cores; torch uses {signs.torch_threads} threads",
            f"raise the limit, or set OMP_NUM_THREADS={max(1, int(limit))}: more threads than that are throttled",
            limit=limit,
        )
    ]


def _few_threads(signs: Signs) -> list[Finding]:
    cores = min(signs.physical_cores or signs.usable_cores, signs.usable_cores)
    granted = min(cores, int(signs.container_cpu_limit or cores) or 1)
    if signs.torch_threads >= granted:
        return []
    return [
        _finding(
            "threads",
            f"torch uses {signs.torch_threads} threads on {granted} cores: the CPU looks slower than it is",
            f"unset OMP_NUM_THREADS and MKL_NUM_THREADS, or call torch.set_num_threads({granted})",
            threads=signs.torch_threads,
            cores=granted,
        )
    ]


def _idle_accelerators(signs: Signs) -> list[Finding]:
    return [
        _finding(
            f"{package} is installed but not imported",
            f"{package} brings the device {device!r}, but only once it is imported",
            f"give --device {device}, or set TORCHSTONE_IMPORT={package}",
        )
        for package, device in signs.idle_packages
    ]

"""The doctor: every remark fires on its sign, and none on a healthy machine."""

import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest

from torchstone.host import PowerState
from torchstone.machine import doctor
from torchstone.machine.doctor import Signs, examine

HEALTHY = Signs(
    torch_version="2.13.0",
    torch_built_for=("NVIDIA",),
    torch_threads=8,
    graphics_cards=("NVIDIA",),
    under_rosetta=False,
    power=PowerState(on_battery=False, low_power=False, source="made up"),
    mps_fallback=None,
    physical_cores=8,
    usable_cores=16,
    container_cpu_limit=None,
    idle_packages=(),
)
UNKNOWN_POWER = PowerState(on_battery=None, low_power=None, source="nothing")


def subjects(**changes: Any) -> list[str]:
    return [finding.subject for finding in examine(replace(HEALTHY, **changes))]


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"power": UNKNOWN_POWER},
        {"mps_fallback": "0"},
        {"mps_fallback": ""},
        {"graphics_cards": (), "torch_built_for": ()},
        {"graphics_cards": ("Intel",), "torch_built_for": ()},
        {"graphics_cards": ("AMD",), "torch_built_for": ("AMD",)},
        {"container_cpu_limit": 16.0},
        {"physical_cores": None, "torch_threads": 16},
        {"torch_threads": 16},
        {"usable_cores": 4, "torch_threads": 4},
    ],
)
def test_a_healthy_machine(changes: dict[str, Any]) -> None:
    assert subjects(**changes) == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"torch_built_for": ()}, ["CPU-only torch"]),
        ({"torch_built_for": (), "graphics_cards": ("AMD", "Intel")}, ["CPU-only torch"]),
        ({"under_rosetta": True}, ["Rosetta"]),
        ({"mps_fallback": "1"}, ["PYTORCH_ENABLE_MPS_FALLBACK"]),
        ({"power": PowerState(False, True, "made up")}, ["low-power mode"]),
        ({"power": PowerState(True, False, "made up")}, ["battery"]),
        ({"power": PowerState(True, True, "made up")}, ["low-power mode", "battery"]),
        ({"container_cpu_limit": 8.0}, ["container CPU limit"]),
        ({"container_cpu_limit": 0.5, "torch_threads": 1}, ["container CPU limit"]),
        ({"torch_threads": 1}, ["threads"]),
        ({"torch_threads": 1, "usable_cores": 2}, ["threads"]),
        ({"torch_threads": 1, "container_cpu_limit": 2.0}, ["container CPU limit", "threads"]),
        ({"idle_packages": (("torchvulkan", "vulkan"),)}, ["torchvulkan is installed but not imported"]),
    ],
)
def test_each_remark_on_its_sign(changes: dict[str, Any], expected: list[str]) -> None:
    assert subjects(**changes) == expected


def test_every_remark_says_what_to_do() -> None:
    ill = replace(
        HEALTHY,
        torch_built_for=(),
        torch_threads=1,
        under_rosetta=True,
        power=PowerState(True, True, "made up"),
        mps_fallback="1",
        container_cpu_limit=2.0,
        idle_packages=(("torchvulkan", "vulkan"), ("torch_npu", "npu")),
    )
    found = examine(ill)
    assert len(found) == 9
    for finding in found:
        assert (finding.kind, finding.verdict, finding.tier) == ("doctor", "warning", "stated")
        assert finding.evidence
        assert finding.hint


def test_the_words_name_the_numbers() -> None:
    [limit, threads] = examine(replace(HEALTHY, container_cpu_limit=2.5, torch_threads=1))
    assert "grants 2.5 of 16 cores" in limit.evidence
    assert "OMP_NUM_THREADS=2" in str(limit.hint)
    assert limit.facts == {"limit": 2.5}
    assert "1 threads on 2 cores" in threads.evidence
    assert threads.facts == {"threads": 1, "cores": 2}


def test_less_than_one_core_still_allows_one_thread() -> None:
    [finding] = examine(replace(HEALTHY, container_cpu_limit=0.25, torch_threads=1))
    assert "OMP_NUM_THREADS=1" in str(finding.hint)


def test_the_signs_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.setenv(doctor.FALLBACK_VARIABLE, "1")
    monkeypatch.setattr(torch.version, "hip", None)
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    signs = doctor.read_signs()
    assert signs.torch_version == torch.__version__
    assert signs.torch_threads == torch.get_num_threads()
    assert signs.torch_built_for == ("NVIDIA",)
    assert signs.mps_fallback == "1"
    monkeypatch.setattr(torch.version, "hip", "7.0")
    assert doctor.read_signs().torch_built_for == ("AMD",)


def test_a_package_is_idle_only_until_it_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "PACKAGES_OF_DEVICES", {"some": "wave", "other": "no_such_package", "third": "json"})
    monkeypatch.delitem(sys.modules, "wave", raising=False)
    assert doctor._idle_packages() == (("wave", "some"),)


@pytest.mark.vulkan
def test_the_real_package_that_is_installed_here() -> None:
    look = "print(d._idle_packages())"
    code = f"from torchstone.machine import doctor as d; {look}; import torchvulkan; {look}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["(('torchvulkan', 'vulkan'),)", "()"]

"""Apple's GPU through stand-ins for torch.mps and the system's tools: the hardware cannot be had here."""

import sys
import types

import pytest
import torch

from torchstone import host
from torchstone.backends import NoEnergyCounter, Reading, mps


@pytest.fixture
def mac(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    monkeypatch.setattr(torch.mps, "recommended_max_memory", lambda: 48 << 30)
    monkeypatch.setattr(host, "chip_name", lambda: "Apple M1 Ultra")
    monkeypatch.setattr(host, "run_tool", lambda *command: '  | "gpu-core-count" = 64\n')


@pytest.mark.usefixtures("mac")
class TestDevices:
    def test_one(self) -> None:
        [device] = mps.find_devices()
        assert (device.id, device.kind, device.vendor, device.name) == ("mps", "mps", "Apple", "Apple M1 Ultra GPU")
        assert device.unified_memory is True
        assert device.memory_bytes is not None
        assert device.facts["GPU cores"].value == 64
        assert device.facts["memory the driver recommends at most, bytes"].value == 48 << 30
        assert mps.explain_absence() is None

    @pytest.mark.parametrize("answer", [None, "", '"model" = "Apple"'])
    def test_a_registry_that_names_no_cores(self, monkeypatch: pytest.MonkeyPatch, answer: str | None) -> None:
        monkeypatch.setattr(host, "run_tool", lambda *command: answer)
        cores = mps.find_devices()[0].facts["GPU cores"]
        assert cores.value is None
        assert cores.reason


@pytest.mark.parametrize(
    ("platform", "rosetta", "built", "evidence", "hint"),
    [
        ("linux", False, False, "this is linux", "nothing to do"),
        ("darwin", True, False, "under Rosetta", "arm64 Python"),
        ("darwin", False, False, "built without MPS", "pip install -U torch"),
        ("darwin", False, True, "no Metal 3 support", "macOS 14"),
    ],
)
def test_absence(
    monkeypatch: pytest.MonkeyPatch, platform: str, rosetta: bool, built: bool, evidence: str, hint: str
) -> None:
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_built", lambda: built)
    monkeypatch.setattr(host, "under_rosetta", lambda: rosetta)
    monkeypatch.setattr(sys, "platform", platform)
    assert mps.find_devices() == ()
    finding = mps.explain_absence()
    assert finding is not None
    assert evidence in finding.evidence
    assert hint in str(finding.hint)


@pytest.mark.parametrize("stats", [{"allocated_bytes.all.peak": 7}, {"allocated_bytes.all.peak": 0}, {}, None])
def test_memory_and_its_peak_where_torch_counts_one(
    monkeypatch: pytest.MonkeyPatch, stats: dict[str, int] | None
) -> None:
    done: list[str] = []

    def memory_stats() -> dict[str, int]:
        if stats is None:
            raise RuntimeError("Allocator for mps is not a DeviceAllocator.")
        return stats

    def reset_peak_memory_stats() -> None:
        memory_stats()
        done.append("reset")

    monkeypatch.setattr(torch.accelerator, "memory_stats", memory_stats)
    monkeypatch.setattr(torch.accelerator, "reset_peak_memory_stats", reset_peak_memory_stats)
    monkeypatch.setattr(torch.mps, "current_allocated_memory", lambda: 1)
    monkeypatch.setattr(torch.mps, "driver_allocated_memory", lambda: 2)
    monkeypatch.setattr(torch.mps, "synchronize", lambda: done.append("synchronize"))
    monkeypatch.setattr(torch.mps, "empty_cache", lambda: done.append("empty_cache"))
    memory = mps.read_memory("mps")
    mps.synchronize("mps")
    mps.reset_peak_memory("mps")
    mps.empty_cache("mps")
    assert (memory.current, memory.driver) == (Reading(1), Reading(2))
    counted = (stats or {}).get("allocated_bytes.all.peak")
    assert memory.peak.bytes == (counted or None)
    assert ("sampled" in str(memory.peak.reason)) == (not counted)
    assert done == ["synchronize", *(["reset"] if stats is not None else []), "empty_cache"]


class TestEnergy:
    def test_not_installed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "zeus_apple_silicon", None)
        counter = mps.energy_counter("mps")
        assert isinstance(counter, NoEnergyCounter)
        assert "torchstone[energy]" in counter.reason

    @pytest.mark.parametrize("millijoules", [1500, None])
    def test_what_it_counts(self, monkeypatch: pytest.MonkeyPatch, millijoules: int | None) -> None:
        reading = types.SimpleNamespace(gpu_mj=millijoules)
        monitor = types.SimpleNamespace(get_cumulative_energy=lambda: reading)
        module = types.SimpleNamespace(AppleEnergyMonitor=lambda: monitor)
        monkeypatch.setitem(sys.modules, "zeus_apple_silicon", module)
        counter = mps.energy_counter("mps")
        if millijoules is None:
            assert isinstance(counter, NoEnergyCounter)
        else:
            assert not isinstance(counter, NoEnergyCounter)
            assert counter.read_joules() == 1.5

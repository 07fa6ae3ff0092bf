"""The CPU's own: no counters with a reason, and RAPL on made-up powercap folders."""

import sys
import types
from pathlib import Path

import pytest
import torch

from torchstone.backends import NoEnergyCounter, cpu


def zone(powercap: Path, name: str, title: str, energy: str | None, most: str = "1000") -> Path:
    folder = powercap / name
    folder.mkdir(parents=True)
    (folder / "name").write_text(f"{title}\n")
    (folder / "max_energy_range_uj").write_text(f"{most}\n")
    if energy is not None:
        (folder / "energy_uj").write_text(f"{energy}\n")
    return folder


class TestRapl:
    def test_only_whole_packages_count(self, tmp_path: Path) -> None:
        first = zone(tmp_path, "intel-rapl:0", "package-0", "100")
        core = zone(tmp_path, "intel-rapl:0:0", "core", "100")
        second = zone(tmp_path, "intel-rapl:1", "package-1", "200")
        platform = zone(tmp_path, "intel-rapl:2", "psys", "200")
        counter = cpu.rapl_counter(tmp_path)
        assert isinstance(counter, cpu.RaplCounter)
        assert counter.source == "RAPL (package-0, package-1; whole processor packages)"
        assert counter.read_joules() == 0.0
        for folder, energy in ((first, "300"), (second, "250"), (core, "900"), (platform, "950")):
            (folder / "energy_uj").write_text(energy)
        assert counter.read_joules() == pytest.approx(250e-6)

    def test_the_wrap_around_is_taken_out(self, tmp_path: Path) -> None:
        folder = zone(tmp_path, "intel-rapl:0", "package-0", "900", most="1000")
        counter = cpu.rapl_counter(tmp_path)
        assert isinstance(counter, cpu.RaplCounter)
        for energy, total in (("950", 50), ("20", 120), ("20", 120), ("10", 1110)):
            (folder / "energy_uj").write_text(energy)
            assert counter.read_joules() == pytest.approx(total * 1e-6)

    def test_none(self, tmp_path: Path) -> None:
        counter = cpu.rapl_counter(tmp_path / "nothing")
        assert isinstance(counter, NoEnergyCounter)
        assert "shows no RAPL counter" in counter.reason

    def test_closed_to_us(self, tmp_path: Path) -> None:
        zone(tmp_path, "intel-rapl:0", "package-0", None)
        (tmp_path / "intel-rapl:0" / "energy_uj").mkdir()  # root may read everything, but a folder is no number
        counter = cpu.rapl_counter(tmp_path)
        assert isinstance(counter, NoEnergyCounter)
        assert "intel-rapl:0/energy_uj is closed to this user" in counter.reason


class TestAppleCounter:
    @pytest.fixture(autouse=True)
    def mac(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "platform", "darwin")

    def test_not_installed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "zeus_apple_silicon", None)
        counter = cpu.energy_counter("cpu")
        assert isinstance(counter, NoEnergyCounter)
        assert "torchstone[energy]" in counter.reason

    @pytest.mark.parametrize("millijoules", [2500, None])
    def test_what_it_counts(self, monkeypatch: pytest.MonkeyPatch, millijoules: int | None) -> None:
        reading = types.SimpleNamespace(cpu_total_mj=millijoules)
        monitor = types.SimpleNamespace(get_cumulative_energy=lambda: reading)
        module = types.SimpleNamespace(AppleEnergyMonitor=lambda: monitor)
        monkeypatch.setitem(sys.modules, "zeus_apple_silicon", module)
        counter = cpu.energy_counter("cpu")
        if millijoules is None:
            assert isinstance(counter, NoEnergyCounter)
        else:
            assert not isinstance(counter, NoEnergyCounter)
            assert counter.read_joules() == 2.5
            assert "IOReport" in counter.source


def test_there_is_one_and_it_has_no_counters() -> None:
    [device] = cpu.find_devices()
    assert (device.id, device.kind, device.unified_memory) == ("cpu", "cpu", True)
    assert device.memory_bytes is not None
    assert device.memory_bytes > 1 << 30
    assert device.facts["threads"].value == torch.get_num_threads()
    memory = cpu.read_memory("cpu")
    assert memory.current == memory.driver == memory.peak
    assert memory.current.bytes is None
    assert "no memory counters" in str(memory.current.reason)
    assert cpu.explain_absence() is None

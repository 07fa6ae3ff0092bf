"""Intel's GPUs through a stand-in for torch.xpu: the hardware cannot be had here."""

import types
from typing import Any

import pytest
import torch

from torchstone import host
from torchstone.backends import NoEnergyCounter, Reading, xpu


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A card's properties, which a test may change."""
    properties: dict[str, Any] = {
        "name": "Intel(R) Arc(TM) B580",
        "total_memory": 12 << 30,
        "driver_version": "1.6.31",
        "platform_name": "Intel(R) oneAPI Unified Runtime over Level-Zero",
        "gpu_eu_count": 160,
    }
    monkeypatch.setattr(torch.xpu, "is_available", lambda: True)
    monkeypatch.setattr(torch.xpu, "device_count", lambda: 1)
    monkeypatch.setattr(torch.xpu, "get_device_properties", lambda device: types.SimpleNamespace(**properties))
    return properties


def test_devices(card: dict[str, Any]) -> None:
    [device] = xpu.find_devices()
    assert (device.id, device.kind, device.vendor) == ("xpu:0", "xpu", "Intel")
    assert device.name == "Intel(R) Arc(TM) B580"
    assert device.memory_bytes == 12 << 30
    assert device.unified_memory is None
    assert device.facts["driver"].value == "1.6.31"
    assert xpu.explain_absence() is None


@pytest.mark.parametrize("integrated", [True, False])
def test_newer_builds_say_whether_memory_is_shared(card: dict[str, Any], integrated: bool) -> None:
    card["is_integrated_gpu"] = integrated
    assert xpu.find_devices()[0].unified_memory is integrated


@pytest.mark.parametrize(
    ("cards", "compiled", "evidence", "hint"),
    [
        ((), False, "no Intel graphics card", "nothing to do"),
        (("Intel",), False, "is built without XPU", "pytorch.org"),
        (("Intel",), True, "finds no usable GPU", "driver"),
    ],
)
def test_absence(
    monkeypatch: pytest.MonkeyPatch, cards: tuple[str, ...], compiled: bool, evidence: str, hint: str
) -> None:
    monkeypatch.setattr(torch.xpu, "is_available", lambda: False)
    monkeypatch.setattr(torch.xpu, "_is_compiled", lambda: compiled)
    monkeypatch.setattr(host, "graphics_cards", lambda: cards)
    assert xpu.find_devices() == ()
    finding = xpu.explain_absence()
    assert finding is not None
    assert evidence in finding.evidence
    assert hint in str(finding.hint)


def test_each_call_names_its_device(monkeypatch: pytest.MonkeyPatch) -> None:
    noted: dict[str, Any] = {}

    def note(name: str, answer: int | None) -> Any:
        def function(*arguments: Any) -> int | None:
            noted[name] = arguments
            return answer

        return function

    for name, answer in (
        ("synchronize", None),
        ("memory_allocated", 1),
        ("memory_reserved", 2),
        ("max_memory_allocated", 3),
        ("reset_peak_memory_stats", None),
        ("empty_cache", None),
    ):
        monkeypatch.setattr(torch.xpu, name, note(name, answer))
    xpu.synchronize("xpu:1")
    memory = xpu.read_memory("xpu:1")
    xpu.reset_peak_memory("xpu:1")
    xpu.empty_cache("xpu:1")
    assert (memory.current, memory.driver, memory.peak) == (Reading(1), Reading(2), Reading(3))
    assert noted.pop("empty_cache") == ()
    assert set(noted.values()) == {("xpu:1",)}


def test_energy_is_not_integrated_from_power() -> None:
    counter = xpu.energy_counter("xpu:0")
    assert isinstance(counter, NoEnergyCounter)
    assert "momentary power" in counter.reason

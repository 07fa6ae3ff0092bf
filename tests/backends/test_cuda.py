"""NVIDIA and AMD through stand-ins for torch.cuda, NVML and AMD SMI: the hardware cannot be had here."""

import sys
import types
from typing import Any

import pytest
import torch

from torchstone import host
from torchstone.backends import NoEnergyCounter, Reading, cuda

UUID = "01234567-89ab-cdef-0123-456789abcdef"


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Any]]:
    """A machine with two cards; what is asked of the second device is noted."""
    noted: list[tuple[str, Any]] = []

    def properties(device: Any) -> types.SimpleNamespace:
        return types.SimpleNamespace(
            name=f"Card {device}",
            total_memory=24 << 30,
            multi_processor_count=128,
            major=8,
            minor=9,
            gcnArchName="gfx942",
            is_integrated=0,
            uuid=UUID,
            pci_domain_id=0,
            pci_bus_id=0xC1,
            pci_device_id=0,
        )

    def note(name: str, answer: Any) -> Any:
        def function(*arguments: Any) -> Any:
            noted.append((name, arguments))
            return answer

        return function

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "get_device_properties", properties)
    for name, answer in (
        ("synchronize", None),
        ("memory_allocated", 1),
        ("memory_reserved", 2),
        ("max_memory_allocated", 3),
        ("reset_peak_memory_stats", None),
        ("empty_cache", None),
    ):
        monkeypatch.setattr(torch.cuda, name, note(name, answer))
    monkeypatch.setattr(torch.version, "hip", None)
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    return noted


@pytest.fixture
def rocm(calls: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.version, "hip", "7.1")
    monkeypatch.setattr(torch.version, "cuda", None)


@pytest.mark.usefixtures("calls")
class TestDevices:
    def test_nvidia(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(host, "run_tool", lambda *command: "580.95.05\n580.95.05\n")
        first, second = cuda.find_devices()
        assert (first.id, first.kind, first.vendor, first.name) == ("cuda:0", "cuda", "NVIDIA", "Card 0")
        assert second.id == "cuda:1"
        assert first.memory_bytes == 24 << 30
        assert first.unified_memory is False
        assert first.facts["architecture"].value == "8.9"
        assert first.facts["driver"].value == "580.95.05"
        assert first.facts["toolkit"].value == "13.0"
        assert cuda.explain_absence() is None

    def test_nvidia_without_its_tool(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(host, "run_tool", lambda *command: None)
        driver = cuda.find_devices()[0].facts["driver"]
        assert (driver.value, driver.reason) == (None, "nvidia-smi is not on the path")

    @pytest.mark.usefixtures("rocm")
    @pytest.mark.parametrize("version", ["6.16.6", None])
    def test_amd(self, monkeypatch: pytest.MonkeyPatch, version: str | None) -> None:
        monkeypatch.setattr(host, "read_text", lambda path: version)
        first = cuda.find_devices()[0]
        assert (first.id, first.kind, first.vendor) == ("cuda:0", "rocm", "AMD")
        assert first.facts["architecture"].value == "gfx942"
        assert first.facts["toolkit"].value == "7.1"
        assert first.facts["driver"].value == version
        assert (first.facts["driver"].reason is None) == (version is not None)


def test_each_call_names_its_device(calls: list[tuple[str, Any]]) -> None:
    cuda.synchronize("cuda:1")
    memory = cuda.read_memory("cuda:1")
    cuda.reset_peak_memory("cuda:1")
    cuda.empty_cache("cuda:1")
    assert (memory.current, memory.driver, memory.peak) == (Reading(1), Reading(2), Reading(3))
    assert dict(calls) == {
        "synchronize": ("cuda:1",),
        "memory_allocated": ("cuda:1",),
        "memory_reserved": ("cuda:1",),
        "max_memory_allocated": ("cuda:1",),
        "reset_peak_memory_stats": ("cuda:1",),
        "empty_cache": (),
    }


@pytest.mark.parametrize(
    ("cards", "built_for", "subject", "evidence", "hint"),
    [
        ((), None, "cuda", "no NVIDIA or AMD card", "nothing to do"),
        (("Intel",), None, "cuda", "no NVIDIA or AMD card", "nothing to do"),
        (("NVIDIA",), None, "cuda", "card by NVIDIA, but this torch", "pytorch.org"),
        (("AMD", "NVIDIA"), None, "cuda", "card by AMD and NVIDIA", "pytorch.org"),
        (("NVIDIA",), "cuda", "cuda", "cannot reach the card by NVIDIA", "nvidia-smi"),
        (("AMD",), "hip", "rocm", "cannot reach the card by AMD", "rocm-smi"),
    ],
)
def test_absence(
    monkeypatch: pytest.MonkeyPatch,
    cards: tuple[str, ...],
    built_for: str | None,
    subject: str,
    evidence: str,
    hint: str,
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.version, "hip", "7.1" if built_for == "hip" else None)
    monkeypatch.setattr(torch.version, "cuda", "13.0" if built_for == "cuda" else None)
    monkeypatch.setattr(host, "graphics_cards", lambda: cards)
    assert cuda.find_devices() == ()
    finding = cuda.explain_absence()
    assert finding is not None
    assert finding.subject == subject
    assert evidence in finding.evidence
    assert hint in str(finding.hint)


class NVMLError(Exception):
    pass


@pytest.mark.usefixtures("calls")
class TestNvidiaEnergy:
    def nvml(self, monkeypatch: pytest.MonkeyPatch, broken: str = "") -> list[str]:
        asked: list[str] = []

        def step(name: str, answer: Any) -> Any:
            def function(*arguments: Any) -> Any:
                asked.extend(map(str, arguments))
                if name == broken:
                    raise NVMLError("Not Supported")
                return answer

            return function

        module = types.SimpleNamespace(NVMLError=NVMLError)
        for name, answer in (
            ("nvmlInit", None),
            ("nvmlDeviceGetHandleByUUID", "handle"),
            ("nvmlDeviceGetTotalEnergyConsumption", 12_345),
        ):
            setattr(module, name, step(name, answer))
        monkeypatch.setitem(sys.modules, "pynvml", module)
        return asked

    def test_counts_the_card_that_torch_means(self, monkeypatch: pytest.MonkeyPatch) -> None:
        asked = self.nvml(monkeypatch)
        counter = cuda.energy_counter("cuda:1")
        assert not isinstance(counter, NoEnergyCounter)
        assert counter.read_joules() == pytest.approx(12.345)
        assert "NVML" in counter.source
        assert asked[0] == f"GPU-{UUID}"

    @pytest.mark.parametrize("broken", ["nvmlInit", "nvmlDeviceGetHandleByUUID", "nvmlDeviceGetTotalEnergyConsumption"])
    def test_a_card_that_cannot_count(self, monkeypatch: pytest.MonkeyPatch, broken: str) -> None:
        self.nvml(monkeypatch, broken)
        assert cuda.energy_counter("cuda:0") == NoEnergyCounter(
            "NVML cannot count the energy of this card: Not Supported"
        )

    def test_not_installed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "pynvml", None)
        counter = cuda.energy_counter("cuda:0")
        assert isinstance(counter, NoEnergyCounter)
        assert "torchstone[energy]" in counter.reason


class AmdSmiException(Exception):  # noqa: N818 - AMD's own name
    pass


@pytest.mark.usefixtures("rocm")
class TestAmdEnergy:
    def smi(self, monkeypatch: pytest.MonkeyPatch, fails: bool = False) -> list[str]:
        asked: list[str] = []

        def handle(address: str) -> str:
            asked.append(address)
            if fails:
                raise AmdSmiException("no such device")
            return "handle"

        module = types.SimpleNamespace(
            AmdSmiException=AmdSmiException,
            amdsmi_init=lambda: None,
            amdsmi_get_processor_handle_from_bdf=handle,
            amdsmi_get_energy_count=lambda handle: {"energy_accumulator": 1_000_000, "counter_resolution": 15.3},
        )
        monkeypatch.setitem(sys.modules, "amdsmi", module)
        return asked

    def test_counts_in_its_own_resolution(self, monkeypatch: pytest.MonkeyPatch) -> None:
        asked = self.smi(monkeypatch)
        counter = cuda.energy_counter("cuda:0")
        assert not isinstance(counter, NoEnergyCounter)
        assert counter.read_joules() == pytest.approx(15.3)
        assert "AMD SMI" in counter.source
        assert asked == ["0000:c1:00.0"]

    def test_a_card_that_cannot_count(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.smi(monkeypatch, fails=True)
        assert cuda.energy_counter("cuda:0") == NoEnergyCounter(
            "AMD SMI cannot count the energy of this card: no such device"
        )

    def test_not_installed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "amdsmi", None)
        counter = cuda.energy_counter("cuda:0")
        assert isinstance(counter, NoEnergyCounter)
        assert "torchstone[energy]" in counter.reason

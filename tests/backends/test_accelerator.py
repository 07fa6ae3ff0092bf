"""Out-of-tree devices: the pretend one here, stand-in modules that lack everything, and the real one elsewhere."""

import json
import subprocess
import sys
import types
from typing import Any

import pytest
import torch

from torchstone.backends import NoEnergyCounter, Reading, accelerator, find_device

ON_VULKAN = """
import json
import torch
from torchstone.backends import find_absences, find_device, find_devices

backend, device = find_device("vulkan")
memory = lambda: [[reading.bytes, reading.reason] for reading in vars(backend.read_memory(device.id)).values()]
before = memory()
tensor = torch.ones(1024, 1024, device=device.id)
backend.synchronize(device.id)
held = memory()
total = tensor.sum().item()
del tensor
backend.reset_peak_memory(device.id)
after = memory()
backend.empty_cache(device.id)
print(json.dumps({
    "id": device.id, "kind": device.kind, "name": device.name, "memory_bytes": device.memory_bytes,
    "driver": device.facts["driver"].value, "package": device.facts["package"].value,
    "devices": [one.id for one in find_devices()], "absent": [one.subject for one in find_absences()],
    "before": before, "held": held, "after": after, "total": total,
}))
"""


@pytest.mark.vulkan
def test_the_real_second_device() -> None:
    done = subprocess.run([sys.executable, "-c", ON_VULKAN], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout.splitlines()[-1])
    assert (said["id"], said["kind"], said["devices"]) == ("vulkan:0", "vulkan", ["cpu", "vulkan:0"])
    assert "llvmpipe" in said["name"]
    assert said["package"].startswith("torchvulkan ")
    assert said["memory_bytes"] > 1 << 28
    assert "out-of-tree" not in said["absent"]
    assert said["total"] == 1 << 20
    (before, _), (held, reason), (after, _) = said["before"][0], said["held"][0], said["after"][0]
    assert reason is None
    assert held - before == 4 << 20
    assert after == before
    assert said["held"][1][0] >= held
    assert said["held"][2][0] >= held
    assert said["after"][2][0] < said["held"][2][0]


def test_a_device_that_torch_accelerator_does_not_list(monkeypatch: pytest.MonkeyPatch) -> None:
    find_device("pretend")
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda: None)
    assert [device.id for device in accelerator.find_devices()] == ["pretend:0"]
    monkeypatch.setattr(torch._C, "_get_privateuse1_backend_name", lambda: accelerator.UNCLAIMED)
    assert accelerator.find_devices() == ()


class TestPretendDevice:
    @pytest.fixture(autouse=True)
    def installed(self) -> None:
        find_device("pretend")

    def test_it_is_found(self) -> None:
        [device] = accelerator.find_devices()
        assert (device.id, device.kind, device.vendor) == ("pretend:0", "pretend", "out of tree")
        assert device.memory_bytes is None
        assert device.facts["driver"].value is None
        assert device.facts["driver"].reason
        assert accelerator.explain_absence() is None

    def test_its_memory(self) -> None:
        before = accelerator.read_memory("pretend:0").current.bytes
        held = torch.ones(1024, device="pretend")
        now = accelerator.read_memory("pretend:0")
        assert before is not None
        assert now.current == Reading(before + held.nbytes)
        assert now.peak.bytes is not None
        assert now.peak.bytes >= before + held.nbytes

    def test_a_device_that_reports_no_memory(self) -> None:
        from torchstone import pretend

        with pretend.configure(counters=False):
            memory = accelerator.read_memory("pretend:0")
            accelerator.reset_peak_memory("pretend:0")
        assert memory.current.bytes is None
        assert "memory_allocated() failed" in str(memory.current.reason)
        assert "does not report its memory" in str(memory.peak.reason)

    def test_waiting_waits(self) -> None:
        from torchstone import pretend

        with pretend.configure(op_seconds=0.3, asynchronous=True):
            event = torch.pretend.Event()  # type: ignore[attr-defined]
            torch.ones(4, device="pretend").add(1)
            event.record()
            assert not event.query()
            accelerator.synchronize("pretend:0")
            assert event.query()


class TestModulesThatLackThings:
    @pytest.fixture
    def module(self, monkeypatch: pytest.MonkeyPatch) -> types.SimpleNamespace:
        module = types.SimpleNamespace()
        monkeypatch.setattr(accelerator, "_name", lambda: "someday")
        monkeypatch.setattr(accelerator, "_module", lambda device_id: module)
        return module

    def test_one_with_nothing(self, module: types.SimpleNamespace) -> None:
        assert accelerator.find_devices() == ()
        memory = accelerator.read_memory("someday:0")
        assert memory.current == Reading(None, "the device module has no memory_allocated()")
        assert memory.driver.reason == "the device module has no memory_reserved()"
        accelerator.reset_peak_memory("someday:0")
        accelerator.empty_cache("someday:0")
        assert isinstance(accelerator.energy_counter("someday:0"), NoEnergyCounter)

    def test_one_that_only_counts(self, module: types.SimpleNamespace) -> None:
        module.device_count = lambda: 2
        first, second = accelerator.find_devices()
        assert (first.id, second.id, first.name) == ("someday:0", "someday:1", "someday")
        assert (first.memory_bytes, first.unified_memory) == (None, None)

    @pytest.mark.parametrize(("version", "value"), [("1.2", "1.2"), (7, 7), ((1, 2), "(1, 2)"), (None, None)])
    def test_its_driver(self, module: types.SimpleNamespace, version: object, value: object) -> None:
        module.device_count = lambda: 1
        module.get_device_properties = lambda index: types.SimpleNamespace(driver_version=version, total_memory=5)
        [device] = accelerator.find_devices()
        assert device.memory_bytes == 5
        assert device.facts["driver"].value == value
        assert (device.facts["driver"].reason is None) == (value is not None)

    def test_the_device_that_was_asked_for_is_the_one_asked(self, module: types.SimpleNamespace) -> None:
        asked: list[Any] = []

        def note(device: Any = None) -> int:
            asked.append(device)
            return 1

        module.synchronize = module.memory_allocated = module.memory_reserved = note
        module.max_memory_allocated = module.reset_peak_memory_stats = note
        accelerator.synchronize("someday:1")
        accelerator.read_memory("someday:1")
        accelerator.reset_peak_memory("someday:1")
        assert asked == ["someday:1"] * 5

    def test_counters_that_break(self, module: types.SimpleNamespace) -> None:
        def break_down(device: Any = None) -> int:
            raise RuntimeError("INTERNAL ASSERT FAILED\nat allocator.cpp:17")

        def break_silently(device: Any = None) -> int:
            raise NotImplementedError

        module.memory_allocated, module.memory_reserved = break_down, break_silently
        memory = accelerator.read_memory("someday:0")
        assert memory.current.reason == "memory_allocated() failed: RuntimeError: INTERNAL ASSERT FAILED"
        assert memory.driver.reason == "memory_reserved() failed: NotImplementedError"


def test_absence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda: None)
    monkeypatch.setattr(torch._C, "_get_privateuse1_backend_name", lambda: accelerator.UNCLAIMED)
    assert accelerator.find_devices() == ()
    finding = accelerator.explain_absence()
    assert finding is not None
    assert "TORCHSTONE_IMPORT" in str(finding.hint)


@pytest.mark.parametrize("kind", ["cuda", "mps", "xpu"])
def test_torchs_own_accelerators_are_left_to_their_backends(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda: torch.device(kind))
    assert accelerator.find_devices() == ()

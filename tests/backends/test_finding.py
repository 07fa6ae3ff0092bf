"""How a person's words become a device: names, packages that bring one, and what is said where there is none."""

import sys
import types
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from torchstone import backends
from torchstone.errors import UserError
from torchstone.records import Device


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """What was found is remembered for the life of a process; here it must be looked for anew."""
    backends._found.cache_clear()
    yield
    backends._found.cache_clear()


def device(id: str, kind: str | None = None) -> Device:
    kind = kind or id.split(":")[0]
    return Device(id=id, kind=kind, vendor="v", name="n", memory_bytes=None, unified_memory=None)


@pytest.fixture
def workstation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two AMD cards beside the CPU."""
    found = {"cpu": (device("cpu"),), "cuda": (device("cuda:0", "rocm"), device("cuda:1", "rocm"))}

    def load(name: str) -> types.SimpleNamespace:
        return types.SimpleNamespace(find_devices=lambda: found.get(name, ()))

    monkeypatch.setattr(backends, "load_backend", load)


class TestNames:
    @pytest.mark.parametrize(
        ("wanted", "id"),
        [("cpu", "cpu"), ("cpu:0", "cpu"), ("cuda", "cuda:0"), ("cuda:1", "cuda:1"), ("rocm", "cuda:0")],
    )
    def test_that_are_understood(self, workstation: None, wanted: str, id: str) -> None:
        assert backends.find_device(wanted)[1].id == id

    @pytest.mark.parametrize("wanted", ["cuda:2", "cpu:1", "gpu", "CPU", "", " ", "cuda:", "cuda:x", "mps", "../x"])
    def test_that_are_not(self, workstation: None, wanted: str) -> None:
        with pytest.raises(UserError, match=f"no device '{wanted}' here; this machine has: cpu, cuda:0") as caught:
            backends.find_device(wanted)
        assert "`torchstone devices` lists" in caught.value.hint

    def test_of_a_device_whose_package_is_missing(self, workstation: None) -> None:
        with pytest.raises(UserError, match="no device 'npu:0'") as caught:
            backends.find_device("npu:0")
        assert caught.value.hint == "that device comes with a package: pip install torch_npu"

    def test_the_best_is_the_first_accelerator(self, workstation: None) -> None:
        assert backends.best_device()[1].id == "cuda:0"

    def test_the_best_is_the_cpu_where_there_is_nothing_else(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(backends, "backend_names", lambda: ("cpu",))
        assert backends.best_device()[1].id == "cpu"

    def test_the_cpu_comes_first(self) -> None:
        assert backends.find_devices()[0].id == "cpu"


class TestPackages:
    @pytest.fixture
    def package(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
        """A module that may be written; the pretend device, which other tests install, must not be in its way."""
        monkeypatch.syspath_prepend(str(tmp_path))
        monkeypatch.setattr(torch._C, "_get_privateuse1_backend_name", lambda: "privateuseone")
        yield tmp_path / "an_accelerator.py"
        sys.modules.pop("an_accelerator", None)

    def test_the_variable_imports_them(self, package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        package.write_text("")
        monkeypatch.setenv(backends.IMPORT_VARIABLE, " an_accelerator ,, ")
        backends.find_devices()
        assert "an_accelerator" in sys.modules

    @pytest.mark.parametrize("value", ["no_such_package", "cpu:0", "no.such.package", ".x"])
    def test_one_that_is_not_there(self, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
        monkeypatch.setenv(backends.IMPORT_VARIABLE, value)
        with pytest.raises(UserError, match=r"\(asked for by TORCHSTONE_IMPORT\) cannot be imported") as caught:
            backends.find_devices()
        assert "driver" in caught.value.hint

    def test_one_that_breaks(self, package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        package.write_text("raise RuntimeError('no driver here')")
        monkeypatch.setitem(backends.PACKAGES_OF_DEVICES, "someday", "an_accelerator")
        with pytest.raises(UserError, match=r"--device someday:0\) cannot be imported: no driver here"):
            backends.find_device("someday:0")

    def test_one_that_brings_nothing(self, package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        package.write_text("")
        monkeypatch.setitem(backends.PACKAGES_OF_DEVICES, "someday", "an_accelerator")
        with pytest.raises(UserError, match="no device 'someday'"):
            backends.find_device("someday")

    def test_a_second_one_in_one_process_is_refused(self, package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        package.write_text("raise AssertionError('must not be imported: it would end the process')")
        monkeypatch.setitem(backends.PACKAGES_OF_DEVICES, "someday", "an_accelerator")
        monkeypatch.setattr(torch._C, "_get_privateuse1_backend_name", lambda: "other")
        with pytest.raises(UserError, match="already holds the out-of-tree device 'other'"):
            backends.find_device("someday")

    def test_the_pretend_device_is_brought_in_by_its_name(self) -> None:
        backend, found = backends.find_device("pretend")
        assert (found.id, found.kind) == ("pretend:0", "pretend")
        assert backend is backends.load_backend("accelerator")
        assert "out-of-tree" not in {finding.subject for finding in backends.find_absences()}


BACKEND = """
from torchstone.backends import MemoryReading, NoEnergyCounter, Reading
from torchstone.records import Device

def find_devices():
    return (Device(id="xla:0", kind="xla", vendor="Somebody", name="A chip", memory_bytes=7, unified_memory=None),)
def explain_absence(): return None
def synchronize(device_id): pass
def read_memory(device_id): return MemoryReading(*[Reading(None, "it counts nothing")] * 3)
def reset_peak_memory(device_id): pass
def empty_cache(device_id): pass
def energy_counter(device_id): return NoEnergyCounter("none")
"""


class TestBackendsOfOthers:
    """A device that `torch.accelerator` does not list."""

    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
        monkeypatch.syspath_prepend(str(tmp_path))
        (tmp_path / "a_backend.py").write_text(BACKEND)
        yield tmp_path
        sys.modules.pop("a_backend", None)

    def write_entry_point(self, folder: Path, value: str) -> None:
        metadata = folder / "a_package-1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: a-package\nVersion: 1.0\n")
        (metadata / "entry_points.txt").write_text(f"[torchstone.backends]\nchip = {value}\n")

    def test_the_variable_brings_one(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(backends.IMPORT_VARIABLE, "a_backend")
        backend, found = backends.find_device("xla")
        assert (found.id, found.vendor) == ("xla:0", "Somebody")
        assert backend is sys.modules["a_backend"]
        assert found in backends.find_devices()

    def test_an_entry_point_brings_one(self, folder: Path) -> None:
        self.write_entry_point(folder, "a_backend")
        assert backends.find_device("xla:0")[1].name == "A chip"

    @pytest.mark.parametrize("value", ["no_such_module", "a_backend:find_devices"])
    def test_an_entry_point_that_is_no_backend_is_named_and_the_rest_works(self, folder: Path, value: str) -> None:
        self.write_entry_point(folder, value)
        assert backends.find_device("cpu")[1].id == "cpu"
        fault = next(finding for finding in backends.find_absences() if finding.subject == "chip")
        assert value in fault.evidence

    def test_one_that_lacks_a_function_is_refused_by_name(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (folder / "a_backend.py").write_text(BACKEND.replace("def synchronize", "def wait"))
        monkeypatch.setenv(backends.IMPORT_VARIABLE, "a_backend")
        with pytest.raises(UserError, match="the backend a_backend lacks synchronize"):
            backends.find_devices()


class TestTorchItself:
    @pytest.mark.parametrize("version", ["2.9.1", "1.12.0+cu116", "2.9.0a0+git123"])
    def test_too_old(self, monkeypatch: pytest.MonkeyPatch, version: str) -> None:
        monkeypatch.setattr(torch, "__version__", version)
        for call in (backends.find_devices, backends.find_absences, lambda: backends.find_device("cpu")):
            with pytest.raises(UserError, match=r"is too old: torchstone needs 2\.10 or newer") as caught:
                call()
            assert caught.value.hint == "upgrade it: pip install -U 'torch>=2.10'"

    @pytest.mark.parametrize("version", ["2.10.0", "2.13.0+cpu", "2.14.0.dev20261101", "3.0.0"])
    def test_new_enough(self, monkeypatch: pytest.MonkeyPatch, version: str) -> None:
        monkeypatch.setattr(torch, "__version__", version)
        backends.require_torch()

    def test_missing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "torch", None)
        with pytest.raises(UserError, match="torch cannot be imported") as caught:
            backends.require_torch()
        assert "pip install" in caught.value.hint


def test_absences_are_findings() -> None:
    subjects = [finding.subject for finding in backends.find_absences()]
    assert "cpu" not in subjects
    assert len(subjects) == len(set(subjects))

"""The contract of every file in backends/: the same functions with the same parameters, and honest answers here."""

import inspect
import types

import pytest

from torchstone import backends
from torchstone.backends import Backend, MemoryReading, NoEnergyCounter, Reading
from torchstone.records import Device, Finding

FUNCTIONS = [name for name, _ in inspect.getmembers(Backend, inspect.isfunction) if not name.startswith("_")]


@pytest.fixture(params=backends.backend_names())
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def backend(name: str) -> Backend:
    return backends.load_backend(name)


def test_the_folder_is_the_registry() -> None:
    assert backends.backend_names() == ("cpu", "accelerator", "cuda", "mps", "xpu")
    assert len(FUNCTIONS) == 7


@pytest.mark.parametrize("function", FUNCTIONS)
def test_offers_the_protocols_functions(backend: Backend, function: str) -> None:
    wanted = inspect.signature(getattr(Backend, function))
    offered = inspect.signature(getattr(backend, function))
    assert list(offered.parameters.values()) == list(wanted.parameters.values())[1:]
    assert offered.return_annotation == wanted.return_annotation


def test_says_what_it_is(backend: Backend) -> None:
    assert isinstance(backend, types.ModuleType)
    assert backend.__doc__


def test_has_devices_or_explains_their_absence(backend: Backend, name: str) -> None:
    found, absence = backend.find_devices(), backend.explain_absence()
    assert all(isinstance(device, Device) for device in found)
    if name == "cpu":
        assert (len(found), absence) == (1, None)
        return
    assert bool(found) != (absence is not None)
    if absence is not None:
        assert isinstance(absence, Finding)
        assert (absence.kind, absence.verdict, absence.tier) == ("device", "absent", "stated")
        assert absence.evidence
        assert absence.hint


def test_serves_each_of_its_devices(backend: Backend) -> None:
    for device in backend.find_devices():
        backend.synchronize(device.id)
        memory = backend.read_memory(device.id)
        assert isinstance(memory, MemoryReading)
        for reading in (memory.current, memory.driver, memory.peak):
            assert isinstance(reading, Reading)
            assert (reading.bytes is None) == (reading.reason is not None)
        backend.reset_peak_memory(device.id)
        backend.empty_cache(device.id)
        counter = backend.energy_counter(device.id)
        if isinstance(counter, NoEnergyCounter):
            assert counter.reason
        else:
            assert counter.source
            assert counter.read_joules() <= counter.read_joules()


def test_facts_without_a_value_have_a_reason(backend: Backend) -> None:
    for device in backend.find_devices():
        assert device.facts
        for fact in device.facts.values():
            assert fact.source
            assert fact.value is not None or fact.reason

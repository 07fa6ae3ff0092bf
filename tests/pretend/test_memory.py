"""The memory counters: the ledger by itself, and as real tensors move it."""

import gc
import time
from typing import Any

import pytest
import torch

import torchstone.pretend as pretend
from torchstone.pretend.machine import machine
from torchstone.pretend.memory import CapacityExceeded, MemoryLedger


class Owner:
    """Something that can be collected."""


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The device with an empty ledger: what other tests of this process leaked on purpose never shrinks."""
    gc.collect()
    monkeypatch.setattr(machine, "ledger", MemoryLedger())
    return torch.get_device_module("pretend")


def _settled(module: Any, expected: int) -> bool:
    """Autograd's thread may let go of its last tensor a moment after `backward` has returned."""
    deadline = time.monotonic() + 10
    while module.memory_allocated() != expected and time.monotonic() < deadline:
        time.sleep(0.001)
    return bool(module.memory_allocated() == expected)


def test_freed_bytes_stay_with_the_driver_until_the_cache_is_emptied() -> None:
    ledger, owner = MemoryLedger(), Owner()
    ledger.allocate(owner, 100, None)
    del owner
    assert (ledger.current_bytes(), ledger.driver_bytes(), ledger.peak_bytes()) == (0, 100, 100)
    ledger.empty_cache()
    assert ledger.driver_bytes() == 0


def test_cached_bytes_are_used_again() -> None:
    ledger, owner, other = MemoryLedger(), Owner(), Owner()
    ledger.allocate(owner, 100, None)
    del owner
    ledger.allocate(other, 60, None)
    assert (ledger.current_bytes(), ledger.driver_bytes()) == (60, 100)


def test_the_peak_starts_anew_from_what_is_live() -> None:
    ledger, owner, other = MemoryLedger(), Owner(), Owner()
    ledger.allocate(owner, 100, None)
    ledger.allocate(other, 60, None)
    del owner
    ledger.reset_peak()
    assert ledger.peak_bytes() == 60


def test_a_leak_never_shrinks() -> None:
    ledger = MemoryLedger()
    ledger.leak(10, driver_only=False)
    ledger.leak(5, driver_only=True)
    ledger.empty_cache()
    assert (ledger.current_bytes(), ledger.driver_bytes()) == (10, 15)


def test_what_does_not_fit_is_refused_and_not_counted() -> None:
    ledger, owner = MemoryLedger(), Owner()
    ledger.leak(30, driver_only=True)
    with pytest.raises(CapacityExceeded) as refused:
        ledger.allocate(owner, 80, 100)
    assert refused.value.free_bytes == 70
    assert ledger.current_bytes() == 0


def test_a_storage_counts_once_whatever_views_it_has(device: str, module: Any) -> None:
    before = module.memory_allocated()
    tensor = torch.empty(1000, device=device)
    view = tensor[10:].view(9, -1).t()
    assert module.memory_allocated() == before + 4000
    del tensor
    assert module.memory_allocated() == before + 4000
    del view
    assert module.memory_allocated() == before


def test_results_and_gradients_are_counted_and_freed(device: str, module: Any) -> None:
    before = module.memory_allocated()
    leaf = torch.ones(1000, device=device, requires_grad=True)
    torch.autograd.backward((leaf * 2).exp().sum())
    assert _settled(module, before + 8000)
    del leaf
    gc.collect()
    assert _settled(module, before)


def test_peak_and_driver_see_what_is_gone_again(device: str, module: Any) -> None:
    module.empty_cache()
    module.reset_peak_memory_stats()
    before = module.memory_allocated()
    torch.ones(100_000, device=device)
    assert module.memory_allocated() == before
    assert module.max_memory_allocated() >= before + 400_000
    assert module.memory_reserved() >= before + 400_000
    module.empty_cache()
    assert module.memory_reserved() == module.memory_allocated()


def test_torch_accelerator_reads_the_same_counters(device: str, module: Any) -> None:
    kept = torch.ones(100, device=device)
    assert torch.accelerator.memory_allocated() == module.memory_allocated() >= kept.nbytes
    assert torch.accelerator.memory_reserved() == module.memory_reserved()
    torch.accelerator.reset_peak_memory_stats()
    assert torch.accelerator.max_memory_allocated() == module.max_memory_allocated()
    torch.accelerator.empty_cache()


def test_every_op_leaks_if_none_is_named(device: str, module: Any) -> None:
    tensor = torch.ones(10, device=device)
    before = module.memory_allocated()
    with pretend.configure(leak_bytes_per_call=1000):
        for _ in range(3):
            tensor.add_(1)
    module.empty_cache()
    assert module.memory_allocated() == before + 3000


def test_only_the_named_op_leaks_and_only_at_the_driver(device: str, module: Any) -> None:
    tensor = torch.ones(10, device=device)
    module.empty_cache()
    allocated, reserved = module.memory_allocated(), module.memory_reserved()
    with pretend.configure(leak_bytes_per_call=1000, leak_ops={"mul_"}, leak_driver_only=True):
        tensor.add_(1).mul_(2)
    module.empty_cache()
    assert module.memory_allocated() == allocated
    assert module.memory_reserved() == reserved + 1000


def test_past_the_capacity_is_out_of_memory(device: str, module: Any) -> None:
    room = module.memory_allocated() + 1000
    with (
        pretend.configure(capacity_bytes=room),
        pytest.raises(torch.OutOfMemoryError, match=r"pretend out of memory\. Tried to allocate 3\.81 MiB"),
    ):
        torch.empty(1_000_000, device=device)
    torch.empty(1_000_000, device=device)


def test_free_memory_is_told_when_there_is_a_limit(device: str, module: Any) -> None:
    module.empty_cache()
    with pretend.configure(capacity_bytes=10**9):
        free, total = module.mem_get_info()
        assert (free, total) == (10**9 - module.memory_reserved(), 10**9)
    with pytest.raises(RuntimeError, match="no limit"):
        module.mem_get_info()


@pytest.mark.parametrize(
    "counter", ["memory_allocated", "memory_reserved", "max_memory_allocated", "reset_peak_memory_stats"]
)
def test_a_device_may_have_no_counters(module: Any, counter: str) -> None:
    with pretend.configure(counters=False), pytest.raises(RuntimeError, match="does not report its memory"):
        getattr(module, counter)()

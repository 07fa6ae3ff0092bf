"""Peak memory from counters where there are some, sampled where there are none."""

import torch

import torchstone.pretend as pretend
from torchstone.measuring.memory import SAMPLE_EVERY_S, measure_peak_memory

MEBIBYTE = 1 << 20


def test_the_devices_own_counter_is_exact(pretend_device: str) -> None:
    held = torch.ones(1000, device=pretend_device)

    def call() -> None:
        torch.empty(MEBIBYTE, dtype=torch.uint8, device=pretend_device)
        torch.empty(2 * MEBIBYTE, dtype=torch.uint8, device=pretend_device)

    allocator, driver, process = measure_peak_memory(call, name="two blocks", device="pretend")
    assert allocator.samples == (2 * MEBIBYTE,), "the first block was free again before the second was made"
    assert allocator.facts["source"] == "the device's own peak counter"
    assert driver.status == "ok"
    assert process.unit == "bytes"
    assert held.numel() == 1000


def test_without_counters_there_is_none_with_a_reason(pretend_device: str) -> None:
    with pretend.configure(counters=False):
        allocator, driver, process = measure_peak_memory(lambda: None, device="pretend")
    assert allocator.status == driver.status == "skipped"
    assert "memory_allocated" in (allocator.reason or "")
    assert process.status == "ok"


def test_the_cpu_is_sampled_from_outside() -> None:
    def call() -> int:
        block = torch.ones(64 * MEBIBYTE, dtype=torch.uint8)
        return int(block.sum())

    allocator, _, process = measure_peak_memory(call)
    assert allocator.status == "skipped"
    assert process.facts["source"] == f"sampled every {SAMPLE_EVERY_S * 1e3:g} ms"
    assert process.facts["peak_bytes"] is not None


def test_a_call_that_fails_is_one_record_with_its_status() -> None:
    (found,) = measure_peak_memory(lambda: 1 / 0)
    assert found.status == "failed"

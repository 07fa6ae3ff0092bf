"""Peak memory: hand-counted blocks on the CPU and the pretend device, divided by purpose, with the source named."""

import json
import subprocess
import sys

import pytest
import torch
from torch import Tensor, nn

import torchstone.pretend as pretend
from torchstone.measuring import memory
from torchstone.measuring.memory import measure_memory, measure_peak_memory
from torchstone.measuring.process_peak import MARK, SAMPLED, watch_process

MEBIBYTE = 1 << 20
FLOAT = 4
HOLDS_FOR_A_MOMENT = """
import json
from torchstone.measuring.process_peak import watch_process
with watch_process() as found:
    len(b"x" * (64 << 20))  # written, so that its pages are really there
print(json.dumps([found.source, found.above_bytes]))
"""


def two_blocks(device: str) -> None:
    torch.empty(MEBIBYTE, dtype=torch.uint8, device=device)
    torch.empty(2 * MEBIBYTE, dtype=torch.uint8, device=device)


def linear_step(device: str) -> tuple[nn.Module, torch.optim.Optimizer, Tensor]:
    model = nn.Linear(100, 50).to(device)
    return model, torch.optim.Adam(model.parameters()), torch.ones(10, 100, device=device)


class TestMeasureMemory:
    def test_the_cpus_allocator_is_asked_and_freed_blocks_are_not_added_up(self) -> None:
        found = measure_memory(lambda: two_blocks("cpu"))
        assert found.above_bytes == found.peak_bytes == 2 * MEBIBYTE
        assert found.activations_bytes == 2 * MEBIBYTE
        assert found.source == memory.BY_PROFILER
        assert found.device_bytes is None
        assert "the CPU" in found.reasons["device_bytes"]

    def test_an_inference_holds_weights_inputs_and_activations(self) -> None:
        model, _, x = linear_step("cpu")

        def infer() -> Tensor:
            with torch.inference_mode():
                output: Tensor = model(x).relu()
                return output

        found = measure_memory(infer, model=model)
        assert found.weights_bytes == (100 * 50 + 50) * FLOAT
        assert found.inputs_bytes == 10 * 100 * FLOAT
        assert found.activations_bytes == 2 * 10 * 50 * FLOAT, "what relu reads and what it makes"
        assert found.gradients_bytes == found.optimizer_bytes == 0

    @pytest.mark.parametrize("device", ["cpu", "pretend"])
    def test_a_training_step_divides_into_its_purposes(self, device: str, pretend_device: str) -> None:
        model, optimizer, x = linear_step(device)

        def step() -> None:
            optimizer.zero_grad()
            model(x).square().sum().backward()
            optimizer.step()

        found = measure_memory(step, model=model, optimizer=optimizer, device=device)
        weights = (100 * 50 + 50) * FLOAT
        assert found.weights_bytes == weights
        assert found.gradients_bytes == weights
        # Adam's two moments, and of each of two parameters the number of its steps, which stays on the CPU.
        steps = 2 * FLOAT if device == "cpu" else 0
        assert found.optimizer_bytes == 2 * weights + steps
        assert found.peak_bytes == sum(
            found.facts()[f"{name}_bytes"]  # type: ignore[misc]
            for name in ("weights", "gradients", "optimizer", "inputs", "activations", "temporaries")
        )

    def test_what_an_earlier_step_left_is_not_counted_twice(self) -> None:
        """The gradients of the step before are freed in this one: the allocator must have seen them come."""
        model = nn.Linear(1000, 1000)
        x = torch.ones(1, 1000)

        def step() -> None:
            model.zero_grad()
            model(x).sum().backward()

        first = measure_memory(step, model=model)
        again = measure_memory(step, model=model)
        assert first.peak_bytes == again.peak_bytes
        assert again.gradients_bytes == 1001 * 1000 * FLOAT

    def test_the_pretend_devices_counter_agrees_with_the_dispatcher(self, pretend_device: str) -> None:
        found = measure_memory(lambda: two_blocks(pretend_device), device=pretend_device)
        assert found.source == memory.BY_DEVICE
        assert found.above_bytes == 2 * MEBIBYTE
        assert found.dispatcher_bytes == 2 * MEBIBYTE
        assert found.device_bytes is not None

    def test_without_a_counter_the_dispatcher_is_the_source(self, pretend_device: str) -> None:
        with pretend.configure(counters=False):
            found = measure_memory(lambda: two_blocks(pretend_device), device=pretend_device)
        assert found.source == memory.BY_DISPATCHER
        assert found.above_bytes == 2 * MEBIBYTE
        assert "max_memory_allocated" in found.reasons["device_bytes"]

    def test_the_weights_of_another_model_are_not_counted(self) -> None:
        """A copy is called, and the original was given."""
        model, other = nn.Linear(100, 50), nn.Linear(100, 50)
        found = measure_memory(lambda: model(torch.ones(10, 100)), model=other)
        assert found.weights_bytes == 0
        assert found.inputs_bytes == (100 * 50 + 50) * FLOAT
        assert "uses no weight" in found.reasons["weights_bytes"]

    def test_a_counter_that_stands_still_is_not_believed(self, pretend_device: str) -> None:
        with pretend.configure(frozen_counters=True):
            found = measure_memory(lambda: two_blocks(pretend_device), device=pretend_device)
        assert found.above_bytes == 2 * MEBIBYTE
        assert found.source == f"{memory.BY_DISPATCHER} ({memory.BY_DEVICE} did not move)"

    def test_what_operators_take_for_themselves_is_temporary(self) -> None:
        timeline = memory.follow_allocations(lambda: torch.ones(256), "cpu", None, None)
        assert memory.divide(timeline, 5000, "x").temporaries_bytes == 5000 - 1024
        fused = memory.divide(timeline, 400, "x")
        assert (fused.activations_bytes, fused.temporaries_bytes) == (400, 0)

    def test_an_output_that_grows_is_counted_as_it_grows(self) -> None:
        def grow() -> Tensor:
            out = torch.empty(0)
            return torch.add(torch.ones(512), 1, out=out)

        timeline = memory.follow_allocations(grow, "cpu", None, None)
        assert sum(timeline.peak().values()) == 2 * 512 * FLOAT

    def test_sparse_tensors_have_bytes_too(self) -> None:
        timeline = memory.follow_allocations(lambda: torch.eye(64).to_sparse(), "cpu", None, None)
        assert sum(timeline.peak().values()) >= 64 * 64 * FLOAT + 64 * (2 * 8 + FLOAT)

    def test_nothing_is_followed_once_the_call_is_over(self) -> None:
        kept = [torch.ones(256)]
        timeline = memory.follow_allocations(lambda: kept[0] + 1, "cpu", None, None)
        count = len(timeline.changes)
        kept.clear()
        assert len(timeline.changes) == count

    def test_what_the_call_raises_is_raised(self) -> None:
        with pytest.raises(ZeroDivisionError):
            measure_memory(lambda: 1 / 0)


class TestProcessPeak:
    def test_the_mark_rises_with_what_is_held_for_a_moment(self) -> None:
        """In a process of its own: here, what earlier tests left may be freed meanwhile and hide the rise."""
        done = subprocess.run([sys.executable, "-c", HOLDS_FOR_A_MOMENT], capture_output=True, text=True, check=True)
        source, above_bytes = json.loads(done.stdout)
        assert source in (MARK, SAMPLED)
        if source == MARK:
            assert above_bytes >= 60 * MEBIBYTE

    def test_without_a_mark_it_is_sampled(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("torchstone.measuring.process_peak._lower_mark", lambda: False)
        values = iter([100, 300, *[200] * 1000])
        with watch_process(lambda: next(values)) as found:
            pass
        assert (found.source, found.above_bytes) == (SAMPLED, 200)


class TestRecords:
    def test_the_devices_own_counter_is_exact(self, pretend_device: str) -> None:
        held = torch.ones(1000, device=pretend_device)
        allocator, driver, process = measure_peak_memory(
            lambda: two_blocks(pretend_device), name="two blocks", device="pretend"
        )
        assert allocator.samples == (2 * MEBIBYTE,), "the first block was free again before the second was made"
        assert allocator.facts["source"] == memory.BY_DEVICE
        assert driver.status == "ok"
        assert process.unit == "bytes"
        assert held.numel() == 1000

    def test_without_counters_there_is_none_with_a_reason(self, pretend_device: str) -> None:
        with pretend.configure(counters=False):
            allocator, driver, process = measure_peak_memory(lambda: None, device="pretend")
        assert allocator.status == driver.status == "skipped"
        assert "memory_allocated" in (allocator.reason or "")
        assert process.status == "ok"

    def test_the_cpus_allocator_is_counted_by_the_profiler(self) -> None:
        allocator, driver, process = measure_peak_memory(lambda: two_blocks("cpu"))
        assert allocator.samples == (2 * MEBIBYTE,)
        assert allocator.facts["source"] == memory.BY_PROFILER
        assert driver.status == "skipped"
        assert process.facts["peak_bytes"] is not None

    def test_a_call_that_fails_is_one_record_with_its_status(self) -> None:
        (found,) = measure_peak_memory(lambda: 1 / 0)
        assert found.status == "failed"

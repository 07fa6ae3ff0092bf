"""measure(): true times on an asynchronous device, statuses for everything that can go wrong."""

import time

import pytest
import torch
from tests.measuring.work_clock import WorkClock

import torchstone.pretend as pretend
from torchstone.backends import find_device
from torchstone.errors import UserError
from torchstone.measuring import timing
from torchstone.measuring.clock import Clock, first_tensor
from torchstone.measuring.sync_audit import SAMPLES, WAYS
from torchstone.records import Setup

QUICK_S = 0.05


def test_keeps_raw_samples_and_says_how_they_were_taken() -> None:
    x = torch.ones(4)
    found = timing.measure(lambda: x + 1, name="add", budget_s=QUICK_S)
    assert found.status == "ok"
    assert len(found.samples) >= timing.MIN_SAMPLES
    assert found.calls_per_sample > 1, "a call of a microsecond is timed many at once"
    assert found.setup == Setup(device="cpu", threads=torch.get_num_threads())
    assert found.first_call_s is not None
    assert found.compile_s is None


def test_true_time_on_an_asynchronous_device_and_the_false_one_in_the_audit(
    pretend_device: str, steady_time: WorkClock
) -> None:
    x = torch.ones(2, 2, device=pretend_device)
    device_s = 0.02
    with pretend.configure(asynchronous=True, op_seconds=device_s):
        found = timing.measure(lambda: x @ x, device="pretend", budget_s=20.0, now=steady_time)
    assert found.samples == pytest.approx([device_s] * len(found.samples), rel=0.01)
    gap = timing.sync_gap(found)
    assert gap is not None
    assert gap >= 10, "without synchronization the call seems at least ten times faster than it is"
    assert min(found.audit["readback"]) >= device_s
    assert len(found.audit["none"]) == SAMPLES


@pytest.mark.parametrize("calls", [None, 1])
@pytest.mark.parametrize("device_s", [0.0001, 0.002, 0.02])
def test_a_device_whose_synchronize_does_not_wait_is_refused(
    pretend_device: str, steady_time: WorkClock, device_s: float, calls: int | None
) -> None:
    x = torch.ones(8, 8, device=pretend_device)
    with pretend.configure(asynchronous=True, slow={"add": device_s}, synchronize_waits=False):
        started = steady_time.at
        found = timing.measure(lambda: x + x, device="pretend", budget_s=0.5, calls_per_sample=calls, now=steady_time)
    assert found.status == "wrong"
    assert "synchronize does not wait" in (found.reason or "")
    assert found.samples == ()
    assert steady_time.at - started < 100 * max(device_s, 0.001), "no sample leaves work for minutes behind"


def test_a_cpu_call_is_not_audited_unless_asked() -> None:
    call = lambda: torch.ones(2)  # noqa: E731
    assert timing.measure(call, budget_s=QUICK_S).audit == {}
    assert set(timing.measure(call, budget_s=QUICK_S, audit=True).audit) == set(WAYS)


def test_a_call_that_returns_nothing_is_timed_and_the_missing_readback_said() -> None:
    found = timing.measure(lambda: None, budget_s=QUICK_S, audit=True)
    assert found.status == "ok"
    assert "readback" not in found.audit
    assert found.facts["readback"] == "the call returns no tensor to read back"


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (ValueError("bad shape\nsecond line"), "failed"),
        (NotImplementedError("The operator 'aten::x' is not currently implemented for the MPS device."), "unsupported"),
        (
            TypeError("Cannot convert a MPS Tensor to float64 dtype as the MPS framework doesn't support it"),
            "unsupported",
        ),
        (RuntimeError("\"addmm_impl_cpu_\" not implemented for 'Half'"), "unsupported"),
        (
            RuntimeError("[enforce fail at alloc_cpu.cpp:1] . DefaultCPUAllocator: can't allocate memory"),
            "out_of_memory",
        ),
        (torch.OutOfMemoryError("CUDA out of memory."), "out_of_memory"),
        (MemoryError(), "out_of_memory"),
    ],
)
def test_what_is_raised_becomes_a_status(error: Exception, status: str) -> None:
    def call() -> None:
        raise error

    found = timing.measure(call, budget_s=QUICK_S)
    assert found.status == status
    assert found.reason is not None
    assert "\n" not in found.reason
    assert found.samples == ()


def test_a_failure_after_many_calls_is_a_failure_too() -> None:
    calls = iter(range(6))

    def call() -> int:
        return next(calls)

    found = timing.measure(call, budget_s=QUICK_S, calls_per_sample=1)
    assert found.status == "failed"
    assert "StopIteration" in (found.reason or "")


def test_real_exhaustion_of_memory_is_a_status() -> None:
    found = timing.measure(lambda: torch.empty(1 << 60, dtype=torch.uint8), budget_s=QUICK_S)
    assert found.status == "out_of_memory"


def test_the_pretend_devices_missing_op_and_full_memory(pretend_device: str) -> None:
    x = torch.ones(8, device=pretend_device)
    with pretend.configure(missing=frozenset({"cumsum"})):
        assert timing.measure(lambda: x.cumsum(0), device="pretend", budget_s=QUICK_S).status == "unsupported"
    with pretend.configure(capacity_bytes=1 << 16):
        full = timing.measure(lambda: torch.empty(1 << 20, device=pretend_device), device="pretend", budget_s=QUICK_S)
    assert full.status == "out_of_memory"


def test_a_wrong_output_is_wrong_however_fast(pretend_device: str) -> None:
    x = torch.ones(3, 3, device=pretend_device)

    def verify(output: torch.Tensor) -> str | None:
        return None if torch.allclose(output.cpu(), torch.full((3, 3), 3.0)) else "differs from the CPU"

    with pretend.configure(wrong=frozenset({"mm"})):
        found = timing.measure(lambda: x @ x, device="pretend", budget_s=QUICK_S, verify=verify)
    assert (found.status, found.reason) == ("wrong", "differs from the CPU")
    assert timing.measure(lambda: x @ x, device="pretend", budget_s=QUICK_S, verify=verify).status == "ok"


def test_a_result_that_goes_wrong_during_the_loop_is_caught() -> None:
    count = 0

    def call() -> int:
        nonlocal count
        count += 1
        return count

    late = timing.measure(call, budget_s=QUICK_S, verify=lambda output: "too late" if output > 10 else None)
    assert late.status == "wrong"


def test_an_endless_python_call_is_interrupted() -> None:
    def call() -> None:
        while True:
            pass

    found = timing.measure(call, budget_s=QUICK_S, timeout_s=0.2)
    assert found.status == "failed"
    assert "did not end within 0.2 s" in (found.reason or "")


def test_a_call_that_hangs_where_python_cannot_reach_is_ended_in_its_own_process() -> None:
    def call() -> None:
        import signal

        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM, signal.SIGTERM, signal.SIGINT})
        time.sleep(600)

    found = timing.measure(call, budget_s=QUICK_S, timeout_s=5, isolated=True)
    assert found.status == "failed"
    assert found.reason == "did not end within 5 s"


def test_isolated_gives_the_same_kind_of_record() -> None:
    x = torch.ones(3)
    found = timing.measure(lambda: x * 2, name="double", budget_s=QUICK_S, isolated=True)
    assert (found.name, found.status, found.unit) == ("double", "ok", "s")
    assert found.samples


@pytest.mark.parametrize("budget_s", [0.0, -1.0, float("nan"), float("inf")])
def test_a_senseless_budget_is_refused(budget_s: float) -> None:
    with pytest.raises(UserError, match="measures nothing"):
        timing.measure(lambda: None, budget_s=budget_s)


@pytest.mark.parametrize("count", ["max_samples", "calls_per_sample"])
@pytest.mark.parametrize("value", [0, -5])
def test_a_senseless_count_is_refused(count: str, value: int) -> None:
    with pytest.raises(UserError, match=f"{count}={value} measures nothing"):
        timing.measure(lambda: None, **{count: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("budget_s", [1.0, 20.0])
def test_a_call_that_is_slow_beside_the_budget_is_made_no_more_often_than_it_must(
    steady_time: WorkClock, budget_s: float
) -> None:
    call = steady_time.work(1.5, name="slow")
    found = timing.measure(call, budget_s=budget_s, now=steady_time)
    assert len(found.samples) >= timing.MIN_SAMPLES
    assert found.facts["steady"] is False
    calls = len(steady_time.calls)
    assert calls == 7 if budget_s == 1.0 else 1.5 * calls <= budget_s + 1.5


def test_an_unknown_dtype_is_refused() -> None:
    with pytest.raises(UserError, match="no dtype 'float17'"):
        timing.measure(lambda: None, setup=Setup(dtype="float17"))


def test_an_unknown_device_is_refused() -> None:
    with pytest.raises(UserError, match="no device 'tpu9' here"):
        timing.measure(lambda: None, device="tpu9")


def test_compile_time_stands_apart_from_the_first_call() -> None:
    def double_and_add(x: torch.Tensor) -> torch.Tensor:
        return x * 2 + 1

    compiled = torch.compile(double_and_add, backend="eager")
    torch.compile(lambda x: x, backend="eager")(torch.ones(1))  # loads dynamo, whose own import is no compilation
    x = torch.ones(3)
    found = timing.measure(lambda: compiled(x), budget_s=QUICK_S)
    assert found.compile_s is not None
    assert found.first_call_s is not None
    assert 0 < found.compile_s <= found.first_call_s


def test_warm_up_ends_when_steady_or_says_that_it_was_not() -> None:
    assert timing.measure(lambda: time.sleep(0.001), budget_s=0.5).facts["steady"] in (True, False)
    times = iter([2.0**-n for n in range(10_000)])

    class Falling:
        """A clock by which every call is much faster than the one before, so it is never steady."""

        def __init__(self) -> None:
            self.at = 0.0
            self.calls = 0

        def __call__(self) -> float:
            self.calls += 1
            if self.calls % 2 == 0:
                self.at += next(times)
            return self.at + self.calls * 1e-4

    backend, device = find_device("cpu")
    clock = Clock(backend, device.id, Falling())
    session = timing._Session(clock, None, lambda: None, "falling", Setup(), 0.02, 1, 10, None)
    found = session.run(False)
    assert found.facts["steady"] is False
    assert "samples, not steady)" in repr(found)


@pytest.mark.parametrize(
    "output",
    [torch.ones(2), (1, torch.ones(2)), {"logits": torch.ones(2)}, [[torch.ones(2)]]],
)
def test_the_output_to_read_back_is_found_in_whatever_a_model_returns(output: object) -> None:
    tensor = first_tensor(output)
    assert torch.equal(tensor, torch.ones(2))


def test_samples_are_seconds_a_call(steady_time: WorkClock) -> None:
    found = timing.measure(steady_time.work(0.004), budget_s=0.4, calls_per_sample=3, now=steady_time)
    assert found.calls_per_sample == 3
    assert found.samples == pytest.approx([0.004] * len(found.samples), rel=0.01)

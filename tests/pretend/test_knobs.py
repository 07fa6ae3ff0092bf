"""What each knob does to the device."""

import threading
from collections.abc import Callable

import pytest
import torch

import torchstone.pretend as pretend
from torchstone.errors import UserError
from torchstone.pretend.clock import DeviceClock
from torchstone.pretend.knobs import Knobs, behaviour_of
from torchstone.pretend.machine import machine

# A sleep may not end early, but the two readings of the clock may differ in their last digits.
ROUNDING_S = 1e-6


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> DeviceClock:
    """The device's clock, standing still but when it is waited for."""
    moment = [0.0]

    def sleep(seconds: float) -> None:
        moment[0] += seconds + 1e-3

    still = DeviceClock(lambda: moment[0], sleep)
    monkeypatch.setattr(machine, "clock", still)
    return still


@pytest.mark.parametrize("name", ["add", "aten::add", "add.Tensor", "aten::add.Tensor"])
def test_an_op_can_be_named_in_four_ways(name: str) -> None:
    assert behaviour_of("aten::add.Tensor", Knobs(missing=frozenset({name}))).missing


@pytest.mark.parametrize("name", ["ad", "add_", "add.Scalar", "aten::add.out"])
def test_other_ops_are_left_alone(name: str) -> None:
    assert not behaviour_of("aten::add.Tensor", Knobs(missing=frozenset({name}))).missing


def test_knobs_are_restored_after_the_block() -> None:
    before = pretend.knobs()
    with pretend.configure(op_seconds=1.0) as inside:
        assert pretend.knobs() is inside
        assert inside.op_seconds == 1.0
    assert pretend.knobs() is before


def test_knobs_are_restored_after_an_error(device: str) -> None:
    before = pretend.knobs()
    tensor = torch.ones(3, device=device)
    with pytest.raises(NotImplementedError), pretend.configure(missing={"exp"}):
        tensor.exp()
    assert pretend.knobs() is before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"nonsense": 1}, "no such knob: nonsense"),
        ({"missing": {"linear"}}, "never sees linear"),
        ({"slow": {"as_strided": 1.0}}, "never sees as_strided"),
        ({"rejected_dtypes": {"double_float"}}, "no such dtype: double_float"),
    ],
)
def test_a_knob_without_effect_is_a_mistake(change: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=message), pretend.configure(**change):
        pass


def test_a_missing_op_says_so_as_pytorch_does(device: str) -> None:
    tensor = torch.ones(3, device=device)
    with (
        pretend.configure(missing={"cumsum"}),
        pytest.raises(
            NotImplementedError,
            match="The operator 'aten::cumsum' is not currently implemented for the pretend device",
        ),
    ):
        tensor.cumsum(0)
    assert tensor.cumsum(0).tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("convolution", lambda x: torch.nn.functional.conv1d(x.view(1, 1, 3), x.view(1, 1, 3))),
        ("_local_scalar_dense", lambda x: x.sum().item()),
        ("_copy_from", lambda x: x.clone()),
        ("add.Tensor", lambda x: x + x),
    ],
)
def test_ops_with_kernels_of_our_own_can_be_missing(
    device: str, name: str, call: Callable[[torch.Tensor], object]
) -> None:
    tensor = torch.ones(3, device=device)
    call(tensor)
    with pretend.configure(missing={name}), pytest.raises(NotImplementedError):
        call(tensor)


def test_a_wrong_op_is_wrong_in_the_same_way_each_time(device: str) -> None:
    tensor = torch.ones(3, device=device)
    with pretend.configure(wrong={"exp"}):
        first, second = tensor.exp(), tensor.exp()
    assert torch.equal(first, second)
    assert first.isfinite().all()
    assert ((first - tensor.exp()).abs() > 1e-3).all()


def test_wrong_reaches_in_place_and_out_and_leaves_integers(device: str) -> None:
    zeros = torch.zeros(3, device=device)
    target = torch.empty(3, device=device)
    with pretend.configure(wrong={"add", "add_"}):
        torch.add(zeros, zeros, out=target)
        in_place = torch.zeros(3, device=device).add_(zeros)
        whole = torch.zeros(3, dtype=torch.int64, device=device) + 1
    assert (target > 1e-3).all()
    assert (in_place > 1e-3).all()
    assert (zeros == 0).all()
    assert whole.tolist() == [1, 1, 1]


def test_a_rejected_dtype_can_neither_be_made_nor_arrive_nor_result(device: str) -> None:
    makers: list[Callable[[], object]] = [
        lambda: torch.ones(2, dtype=torch.float64, device=device),
        lambda: torch.ones(2, dtype=torch.float64).to(device),
        lambda: torch.ones(2, device=device).double(),
        lambda: torch.tensor(1.5, dtype=torch.float64, device=device),
        lambda: torch.ones(2, device=device).sum(dtype=torch.float64),
        lambda: torch.nn.Linear(2, 2, dtype=torch.float64).to(device),
    ]
    with pretend.configure(rejected_dtypes={"float64"}):
        for make in makers:
            with pytest.raises(
                TypeError,
                match="Cannot convert a pretend Tensor to float64 dtype as the pretend framework doesn't support",
            ):
                make()
        torch.ones(2, device=device)
    for make in makers:
        make()


def test_a_fallback_works_and_warns_once_an_op(device: str) -> None:
    tensor = torch.ones(3, device=device)
    with pretend.configure(fallback={"cumsum", "cumprod"}):
        with pytest.warns(UserWarning, match="fall back to run on the CPU") as caught:
            results = [(tensor.cumsum(0), tensor.cumprod(0)) for _ in range(2)]
        assert results[1][0].tolist() == [1, 2, 3]
        assert [str(warning.message).split("'")[1] for warning in caught] == ["aten::cumsum", "aten::cumprod"]
        assert caught[0].filename == __file__


def test_a_synchronous_device_keeps_the_host_waiting(device: str, clock: DeviceClock) -> None:
    tensor = torch.ones(3, device=device)
    with pretend.configure(op_seconds=1.0, slow={"mul_": 5.0}):
        tensor.add_(1)
        assert not clock.is_busy()
        assert 1 <= clock.now() < 2
        tensor.mul_(2)
        assert 7 <= clock.now() < 8


def test_an_asynchronous_device_is_busy_until_it_is_waited_for(device: str, clock: DeviceClock) -> None:
    tensor = torch.ones(3, device=device)
    with pretend.configure(op_seconds=1.0, asynchronous=True):
        for _ in range(10):
            tensor.add_(1)
        assert clock.now() == 0
        assert clock.pending_s() == 10
        torch.get_device_module(device).synchronize()
        assert clock.now() >= 10
        assert not clock.is_busy()


@pytest.mark.parametrize(
    "read",
    [
        lambda x: x.cpu(),
        lambda x: x.to("cpu", non_blocking=True),
        lambda x: x[0].item(),
        lambda x: x.tolist(),
        repr,
        lambda x: torch.equal(x, x),
        lambda x: x.nonzero(),
        lambda x: torch.empty(3).copy_(x),
        lambda x: torch.accelerator.synchronize(),
    ],
)
def test_reading_back_waits(device: str, clock: DeviceClock, read: Callable[[torch.Tensor], object]) -> None:
    tensor = torch.ones(3, device=device)
    with pretend.configure(slow={"add_": 1.0}, asynchronous=True):
        tensor.add_(1)
        assert clock.is_busy()
        read(tensor)
        assert not clock.is_busy()


def test_views_and_allocations_take_no_device_time(device: str, clock: DeviceClock) -> None:
    tensor = torch.ones(4, device=device)
    with pretend.configure(op_seconds=1.0, asynchronous=True):
        tensor.view(2, 2).t()[0].unsqueeze(0)
        torch.empty(3, device=device)
    assert clock.pending_s() == 0


def test_copies_take_the_time_of_their_bytes(device: str, clock: DeviceClock) -> None:
    host = torch.ones(1000)
    with pretend.configure(transfer_bytes_per_s=4000.0, asynchronous=True):
        tensor = host.to(device, non_blocking=True)
        assert clock.pending_s() == 1
        tensor.cpu()
        assert 2 <= clock.now() < 3
        host.to(device)
        assert 3 <= clock.now() < 4
        tensor.clone()
        assert not clock.is_busy()


def test_events_measure_device_time(device: str, clock: DeviceClock) -> None:
    module = torch.get_device_module(device)
    tensor = torch.ones(3, device=device)
    start, end = module.Event(enable_timing=True), module.Event(enable_timing=True)
    with pytest.raises(RuntimeError, match="recorded"):
        start.elapsed_time(end)
    with pretend.configure(op_seconds=0.25, asynchronous=True):
        start.record()
        tensor.add_(1)
        end.record()
        assert not end.query()
        assert not module.current_stream().query()
        assert start.elapsed_time(end) == 250
        end.synchronize()
    assert end.query()
    assert module.current_stream().query()


def test_real_time_passes_in_synchronize(device: str) -> None:
    tensor = torch.ones(3, device=device)
    with pretend.configure(op_seconds=0.02, asynchronous=True):
        start = machine.clock.now()
        tensor.add_(1).add_(1)
        torch.accelerator.synchronize()
        assert machine.clock.now() - start >= 0.04 - ROUNDING_S


def test_an_error_in_a_backward_pass_is_an_exception(device: str) -> None:
    leaf = torch.ones(3, device=device, requires_grad=True)
    result = leaf.sigmoid().sum()
    with (
        pretend.configure(missing={"sigmoid_backward"}),
        pytest.raises(NotImplementedError, match="aten::sigmoid_backward"),
    ):
        torch.autograd.backward(result)


def test_out_of_memory_in_a_backward_pass_is_an_exception(device: str) -> None:
    leaf = torch.ones(100_000, device=device, requires_grad=True)
    result = leaf.sigmoid().sum()
    room = torch.get_device_module(device).memory_allocated() + 1000
    with pretend.configure(capacity_bytes=room), pytest.raises(torch.OutOfMemoryError):
        torch.autograd.backward(result)


def test_errors_in_backward_passes_of_several_threads_stay_in_their_threads(device: str) -> None:
    seen: list[type[BaseException]] = []

    def work() -> None:
        for _ in range(5):
            try:
                torch.autograd.backward(torch.ones(3, device=device, requires_grad=True).sigmoid().sum())
            except NotImplementedError as error:
                seen.append(type(error))

    with pretend.configure(missing={"sigmoid_backward"}):
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert seen == [NotImplementedError] * 20

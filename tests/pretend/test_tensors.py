"""Tensors on the device: made, moved, viewed, changed, indexed, kept, and refused beside others."""

import copy
import io
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

Op = Callable[[torch.Tensor], Any]


def on(device: str, tensor: torch.Tensor) -> torch.Tensor:
    assert str(tensor.device) == f"{device}:0"
    return tensor.cpu()


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda d: torch.zeros(2, device=d), [0, 0]),
        (lambda d: torch.ones(2, device=d), [1, 1]),
        (lambda d: torch.full((2,), 7, device=d), [7, 7]),
        (lambda d: torch.arange(3, device=d), [0, 1, 2]),
        (lambda d: torch.linspace(0, 1, 3, device=d), [0, 0.5, 1]),
        (lambda d: torch.eye(2, device=d), [[1, 0], [0, 1]]),
        (lambda d: torch.tensor([1.5, 2], device=d), [1.5, 2]),
        (lambda d: torch.as_tensor(np.arange(2), device=d), [0, 1]),
        (lambda d: torch.ones(2, device=d).new_zeros(1), [0]),
        (lambda d: torch.ones(2).to(d), [1, 1]),
        (lambda d: torch.ones(2).pretend(), [1, 1]),  # type: ignore[attr-defined]
        (lambda d: torch.tril_indices(2, 2, device=d), [[0, 1, 1], [0, 0, 1]]),
    ],
)
def test_making(device: str, make: Callable[[str], torch.Tensor], expected: list[float]) -> None:
    assert on(device, make(device)).tolist() == expected


def test_random_numbers_follow_the_seed(device: str) -> None:
    torch.manual_seed(3)
    first = torch.randn(4, device=device)
    torch.manual_seed(3)
    assert torch.equal(first, torch.randn(4, device=device))
    assert not torch.equal(first, torch.randn(4, device=device))


def test_the_default_device_can_be_this_one(device: str) -> None:
    with torch.device(device):
        layer = torch.nn.Linear(3, 2)
        result = layer(torch.ones(1, 3)).sum()
        result.backward()
        assert torch.tensor([1.0]).device.type == device
    assert layer.weight.grad is not None
    assert layer.weight.grad.device.type == device


@pytest.mark.parametrize("non_blocking", [False, True])
@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.int32, torch.bool])
def test_moving_both_ways_and_to_another_dtype(device: str, dtype: torch.dtype, non_blocking: bool) -> None:
    host = torch.tensor([[0.0, 1.0], [2.0, 3.0]])
    there = host.to(device, dtype, non_blocking=non_blocking)
    assert torch.equal(on(device, there), host.to(dtype))
    back = there.to("cpu", torch.float32, non_blocking=non_blocking)
    assert torch.equal(back, host.to(dtype).to(torch.float32))


def test_moving_keeps_strides_and_memory_format(device: str) -> None:
    transposed = torch.randn(2, 3).t().to(device)
    images = torch.randn(1, 3, 4, 4).to(device, memory_format=torch.channels_last)
    assert transposed.stride() == (1, 3)
    assert images.is_contiguous(memory_format=torch.channels_last)


VIEWS: list[Op] = [
    lambda x: x[1:, ::2],
    lambda x: x[0],
    lambda x: x.t(),
    lambda x: x.permute(1, 0),
    lambda x: x.view(2, 6),
    lambda x: x.reshape(4, 3),
    lambda x: x[0].expand(3, 4),
    lambda x: x.unsqueeze(0).squeeze(0),
    lambda x: x.as_strided((2, 2), (4, 1), 1),
    lambda x: x.unfold(1, 2, 1),
    lambda x: x.diagonal(),
    lambda x: torch.split(x, 2, 1)[1],
    lambda x: x.unbind()[2],
    lambda x: x.view(torch.int32),
    lambda x: x.detach(),
    lambda x: x.flatten().narrow(0, 2, 5),
    lambda x: torch.view_as_real(torch.view_as_complex(x.view(6, 2))),
]


@pytest.mark.parametrize("view", VIEWS)
def test_views_share_the_bytes_and_agree_with_the_cpu(device: str, view: Op) -> None:
    host = torch.arange(12.0).view(3, 4)
    there = host.to(device)
    expected, got = view(host), view(there)
    assert (got.stride(), got.storage_offset()) == (expected.stride(), expected.storage_offset())
    assert got.untyped_storage().data_ptr() == there.untyped_storage().data_ptr()
    assert torch.equal(on(device, got), expected)


def test_writing_to_a_view_changes_its_base(device: str) -> None:
    base = torch.zeros(3, 4, device=device)
    base[1:].t()[0].fill_(5)
    base.view(-1)[-1] = 7
    assert base.tolist() == [[0, 0, 0, 0], [5, 0, 0, 0], [5, 0, 0, 7]]


def _index(x: torch.Tensor) -> torch.Tensor:
    rows = torch.tensor([0, 2], device=x.device)
    return x[rows] + x[:, rows].t().sum() + x[x > 3].sum()


def _write_by_index(x: torch.Tensor) -> torch.Tensor:
    rows = torch.tensor([0, 2], device=x.device)
    x[rows, rows] = 9
    x[x > 8] = -1
    x.index_put_((rows,), torch.ones(4, device=x.device), accumulate=True)
    return x.index_add_(0, rows, torch.ones(2, 4, device=x.device)).masked_fill_(x < 0, 0.5)


def _scatter(x: torch.Tensor) -> torch.Tensor:
    index = torch.tensor([[0, 1, 2, 0]], device=x.device)
    return x.scatter_(0, index, 8.0).scatter_add_(0, index, x.gather(0, index))


OPS: list[Op] = [
    _index,
    _write_by_index,
    _scatter,
    lambda x: x[torch.tensor([2, 0])],
    lambda x: x.add_(1).mul_(x).clamp_(max=50),
    lambda x: x + torch.arange(4.0, device=x.device) * x[:, :1],
    lambda x: x + torch.tensor(2.5),
    lambda x: torch.tensor(2.5) - x,
    lambda x: (x % 5, 7 % (x + 1), x // 2, x**2, 2**x, -x, x > 3),
    lambda x: x @ x.t(),
    lambda x: torch.einsum("ij,kj->ik", x, x),
    lambda x: torch.cat([x, x], 1).chunk(3, 1)[1],
    lambda x: (x.sum(), x.mean(0), x.max(1), x.sort(descending=True), x.topk(2)),
    lambda x: (x.cumsum(1), x.nonzero(), torch.where(x > 3, x, torch.tensor(0.0))),
    lambda x: torch.linalg.svdvals(x),
    lambda x: torch.fft.fft(x).conj() * 2,
    lambda x: torch.fft.fft(x).conj().imag,
    lambda x: torch.fft.fft(x).conj() @ torch.fft.fft(x).mT.conj(),
    lambda x: torch.nn.functional.interpolate(x[None, None], scale_factor=2, mode="bilinear"),
    lambda x: x.resize_(4, 4)[:3],
]


@pytest.mark.parametrize("op", OPS)
def test_ops_agree_with_the_cpu(device: str, op: Op) -> None:
    host = torch.arange(12.0).view(3, 4)
    torch.testing.assert_close(op(host.to(device)), op(host), check_device=False)


def test_outputs_take_the_result_and_its_shape(device: str) -> None:
    tensor = torch.arange(3.0, device=device)
    fresh, fitting, matrix = (torch.empty(size, device=device) for size in [(0,), (3,), (2, 3)])
    assert torch.add(tensor, 1, out=fresh) is fresh
    torch.add(tensor, 1, out=fitting)
    torch.add(tensor, 1, out=matrix[1])
    assert fresh.tolist() == fitting.tolist() == matrix[1].tolist() == [1, 2, 3]
    values, indices = torch.empty(0, device=device), torch.empty(0, dtype=torch.int64, device=device)
    torch.sort(tensor, descending=True, out=(values, indices))
    assert (values.tolist(), indices.tolist()) == ([2, 1, 0], [2, 1, 0])


MIXTURES: list[Op] = [
    lambda x: x + torch.ones(3),
    lambda x: torch.ones(3) * x,
    lambda x: x.add_(torch.ones(3)),
    lambda x: torch.cat([x, torch.ones(3)]),
    lambda x: x @ torch.ones(3),
    lambda x: torch.nn.Linear(3, 3)(x),
    lambda x: torch.nn.functional.conv1d(x.view(1, 1, 3), torch.ones(1, 1, 1)),
    lambda x: torch.where(x > 0, x, torch.ones(3)),
    lambda x: torch.nn.functional.embedding(torch.tensor([1]), x.view(3, 1)),
    lambda x: x.index_put_((torch.tensor([0, 1]),), torch.ones(2)),
    lambda x: torch.tensor(0.0).add_(x.sum()),
]


@pytest.mark.parametrize("op", MIXTURES)
def test_tensors_of_two_devices_do_not_mix(device: str, op: Op) -> None:
    with pytest.raises(
        RuntimeError,
        match="Expected all tensors to be on the same device, but found at least two devices, pretend:0 and cpu!",
    ):
        op(torch.ones(3, device=device))


def test_a_cpu_tensor_cannot_be_indexed_from_the_device(device: str) -> None:
    with pytest.raises(RuntimeError, match="indices should be either on cpu or on the same device"):
        torch.ones(3)[torch.tensor([0], device=device)]


def test_numpy_and_cuda_fail_as_on_any_other_device(device: str) -> None:
    tensor = torch.ones(3, device=device)
    with pytest.raises(TypeError, match="can't convert pretend:0 device type tensor to numpy"):
        tensor.numpy()
    with pytest.raises(TypeError, match="can't convert pretend:0 device type tensor to numpy"):
        np.asarray(tensor)
    # A build without CUDA, or one with it on a machine without a GPU.
    with pytest.raises((AssertionError, RuntimeError), match=r"CUDA|NVIDIA"):
        tensor.cuda()


def test_sparse_and_quantised_are_refused(device: str) -> None:
    with pytest.raises(NotImplementedError, match="plain dense tensors only"):
        torch.eye(3, device=device).to_sparse()


def test_printing_names_the_device(device: str) -> None:
    assert repr(torch.tensor([1.5, 2.0], device=device)) == "tensor([1.5000, 2.0000], device='pretend:0')"


def test_copies_and_pickles_are_independent(device: str) -> None:
    tensor = torch.ones(3, device=device, requires_grad=True)
    for twin in (copy.deepcopy(tensor), pickle.loads(pickle.dumps(tensor))):
        assert twin.requires_grad
        twin.detach().add_(1)
        assert on(device, twin).tolist() == [2, 2, 2]
    assert tensor.tolist() == [1, 1, 1]


def test_saving_here_and_loading_there(device: str, tmp_path: Path) -> None:
    layer = torch.nn.Linear(2, 2).to(device)
    torch.save(layer.state_dict(), tmp_path / "layer.pt")
    same = torch.load(tmp_path / "layer.pt")
    moved = torch.load(tmp_path / "layer.pt", map_location="cpu")
    assert torch.equal(on(device, same["weight"]), moved["weight"])
    buffer = io.BytesIO()
    torch.save(moved, buffer)
    buffer.seek(0)
    returned = torch.load(buffer, map_location=device)
    assert torch.equal(on(device, returned["weight"]), moved["weight"])
    torch.nn.Linear(2, 2).to(device).load_state_dict(moved)


def test_storages_can_be_made_and_copied(device: str) -> None:
    made: Any = torch.UntypedStorage(8, device=device)  # type: ignore[no-untyped-call]
    assert (made.device.type, made.nbytes()) == (device, 8)
    storage: Any = torch.ones(2, device=device).untyped_storage()
    assert storage.cpu().tolist() == storage.clone().tolist() == [0, 0, 128, 63] * 2


def test_a_dispatch_mode_sees_the_ops(device: str) -> None:
    seen: list[str] = []

    class Recorder(TorchDispatchMode):  # type: ignore[no-untyped-call]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    with Recorder():  # type: ignore[no-untyped-call]
        torch.ones(3, device=device).cumsum(0)
    assert seen == ["aten.ones.default", "aten.cumsum.default"]


def test_a_custom_op_with_a_cpu_kernel_runs(device: str) -> None:
    with torch.library._scoped_library("torchstone_test", "FRAGMENT") as library:
        library.define("twice(Tensor x) -> Tensor")
        library.impl("twice", lambda x: x * 2, "CPU")
        assert on(device, torch.ops.torchstone_test.twice(torch.ones(2, device=device))).tolist() == [2, 2]

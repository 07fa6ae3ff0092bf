"""Faults in writing: the target of an in-place op, of `out=` or of an assignment is a view."""

from typing import Any

import torch
import torch.nn.functional as functional
from torch import Tensor

from plants.conditions import argument, strided, target_offset, target_strided, within_device
from plants.damages import linear_read, write_nothing, write_packed
from plants.planting import Plant, Program, draw, plant, spoil
from torchstone.pretend import Call

SENTINEL = 777.0


def into(view: Any, write: Any) -> Program:
    """Write into a view of a parent that is full of a sentinel; the answer is the whole parent."""

    def program(device: str) -> Tensor:
        parent = torch.full((6, 8), SENTINEL).to(device)
        write(view(parent), device)
        return parent

    return program


def every_second(parent: Tensor) -> Tensor:
    """Columns with gaps between them."""
    return parent[:, 1::2]


def last_rows(parent: Tensor) -> Tensor:
    """Whole rows from the third on: contiguous, at an offset."""
    return parent[2:]


def whole(parent: Tensor) -> Tensor:
    """All of it."""
    return parent


def numbers(target: Tensor, device: str, seed: int = 0) -> Tensor:
    """Positive numbers of a target's shape."""
    return draw(device, *target.shape, seed=seed).square() + 0.5


def write_from_storage_start(call: Call) -> Any:
    """Compute on the view and write it at the start of its storage."""
    target = call.written[0]
    before = target.clone()
    call.right()
    result = target.clone()
    target.copy_(before)
    target.as_strided(target.size(), target.stride(), 0).copy_(result)


def copy_packed(call: Call) -> Any:
    """A copy that writes from the target's first element on, without its gaps."""
    source, target = call.args[:2]
    flat = target.as_strided((target.numel(),), (1,), target.storage_offset())
    flat.copy_(source.to(target.dtype).expand(target.shape).reshape(-1))


def copy_target_strided(call: Call) -> bool:
    """A copy into a view with gaps: not into a transpose, which has none."""
    target = call.args[1]
    gaps = sum((size - 1) * stride for size, stride in zip(target.shape, target.stride(), strict=True)) + 1
    return bool(target.dim() > 1 and gaps > target.numel() > 1)


def accumulate(device: str, target: Tensor) -> None:
    """Add rows by index."""
    target.index_add_(0, torch.tensor([0, 2, 0]).to(device), draw(device, 3, *target.shape[1:]))


PLANTS: list[Plant] = [
    plant(
        "addcmul_strided_target",
        "E",
        "addcmul_",
        "addcmul_",
        "a strided target is not updated",
        spoil(write_nothing, target_strided),
        into(every_second, lambda t, d: t.addcmul_(numbers(t, d), numbers(t, d, 1), value=0.5)),
        into(last_rows, lambda t, d: t.addcmul_(numbers(t, d), numbers(t, d, 1), value=0.5)),
    ),
    plant(
        "addcdiv_strided_target",
        "E",
        "addcdiv_",
        "addcdiv_",
        "into a strided target it writes without the gaps",
        spoil(write_packed, target_strided),
        into(every_second, lambda t, d: t.addcdiv_(numbers(t, d), numbers(t, d, 1))),
        into(whole, lambda t, d: t.addcdiv_(numbers(t, d), numbers(t, d, 1))),
    ),
    plant(
        "mul_out_strided",
        "E",
        "mul",
        "mul.out",
        "a strided `out=` is written without its gaps",
        spoil(write_packed, target_strided),
        into(every_second, lambda t, d: torch.mul(numbers(t, d), numbers(t, d, 1), out=t)),
        into(last_rows, lambda t, d: torch.mul(numbers(t, d), numbers(t, d, 1), out=t)),
    ),
    plant(
        "masked_fill_strided_target",
        "AE",
        "masked_fill_",
        "masked_fill_",
        "where the target is strided the mask is read by the target's strides",
        spoil(linear_read(1), target_strided, strided(1)),
        into(lambda parent: parent.t(), lambda t, d: t.masked_fill_((draw(d, 6, 8) > 0).t(), 1.0)),
        into(lambda parent: parent.t(), lambda t, d: t.masked_fill_(draw(d, 8, 6) > 0, 1.0)),
        into(whole, lambda t, d: t.masked_fill_((draw(d, 8, 6) > 0).t(), 1.0)),
    ),
    plant(
        "index_add_strided_target",
        "E",
        "index_add_",
        "index_add_",
        "a strided target is not updated",
        spoil(write_nothing, target_strided),
        into(every_second, lambda t, d: accumulate(d, t)),
        into(whole, lambda t, d: accumulate(d, t)),
    ),
    plant(
        "setitem_strided",
        "E",
        "copy_",
        "_copy_from",
        "an assignment into a view with gaps overwrites the gaps",
        spoil(copy_packed, within_device, copy_target_strided),
        into(every_second, lambda t, d: t.copy_(numbers(t, d))),
        into(last_rows, lambda t, d: t.copy_(numbers(t, d))),
    ),
    plant(
        "relu_offset_target",
        "E",
        "relu_",
        "relu_",
        "a target at an offset is written at the start of its storage",
        spoil(write_from_storage_start, target_offset),
        into(last_rows, lambda t, d: functional.relu(t.neg_(), inplace=True)),
        into(whole, lambda t, d: functional.relu(t.neg_(), inplace=True)),
    ),
    plant(
        "fill_strided_target",
        "E",
        "fill_",
        "fill_ zero_",
        "a strided target is filled without its gaps",
        spoil(write_packed, target_strided),
        into(every_second, lambda t, d: t.zero_()),
        into(last_rows, lambda t, d: t.zero_()),
    ),
    plant(
        "lerp_transposed_target",
        "E",
        "lerp_",
        "lerp_",
        "a transposed target is not updated",
        spoil(write_nothing, target_strided, lambda call: argument(call, 0).stride(0) == 1),
        into(lambda parent: parent.t(), lambda t, d: t.lerp_(numbers(t, d), 0.3)),
        into(every_second, lambda t, d: t.lerp_(numbers(t, d), 0.3)),
    ),
]

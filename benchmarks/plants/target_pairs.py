"""Two conditions at once, one of them the target of a write: either alone is right."""

from typing import Any

import torch
from torch import Tensor

from plants.conditions import (
    half,
    of_dtype,
    target_offset,
    target_strided,
    within_device,
)
from plants.damages import (
    answer,
    rerun,
    whole_storage,
    write_nothing,
    write_packed,
)
from plants.planting import LIMIT_32_BIT, Plant, draw, plant, spoil
from plants.targets import every_second, into, last_rows, numbers, whole, write_from_storage_start
from torchstone.pretend import Call


def wrap_write(call: Call) -> Any:
    """What is written beyond the limit of the storage wraps to its start."""
    source, target = call.args[:2]
    room = whole_storage(target)
    places = (
        torch.arange(room.numel()).as_strided(target.size(), target.stride(), target.storage_offset())
    ) % LIMIT_32_BIT
    room[places.flatten()] = source.expand(target.shape).reshape(-1)


def columns_at(device: str, start: int, step: int) -> Tensor:
    """Assign within the device to columns from a place on."""
    parent = torch.zeros(2, LIMIT_32_BIT + 40).to(device)
    view = parent[0, start : start + 20 : step]
    view.copy_(draw(device, *view.shape))
    return parent


def past_limit(call: Call) -> bool:
    """The target begins beyond the limit."""
    return bool(call.args[1].storage_offset() > LIMIT_32_BIT and not call.args[1].is_contiguous())


def is_varied(tensor: Tensor) -> bool:
    """Whether the numbers differ."""
    return bool(tensor.cpu().std() > 0.1)


def step_adamw(device: str, *, transposed: bool, decay: float) -> Tensor:
    """One step of fused AdamW on a parameter that is a transpose or not."""
    parameter, gradient = draw(device, 4, 4), draw(device, 4, 4, seed=1)
    if transposed:
        parameter, gradient = parameter.t(), gradient.t()
    parameter.requires_grad_()
    parameter.grad = gradient
    torch.optim.AdamW([parameter], lr=0.1, weight_decay=decay, fused=True).step()
    return parameter.detach()


PLANTS: list[Plant] = [
    plant(
        "add_strided_offset_target",
        "EB",
        "add_",
        "add_",
        "a strided target at an offset is written without the offset",
        spoil(write_from_storage_start, target_strided, target_offset),
        into(every_second, lambda t, d: t.add_(numbers(t, d))),
        into(lambda parent: parent[:, ::2], lambda t, d: t.add_(numbers(t, d))),
        into(last_rows, lambda t, d: t.add_(numbers(t, d))),
    ),
    plant(
        "setitem_strided_far",
        "EG",
        "copy_",
        "_copy_from",
        "into a view with gaps beyond 2**32 elements, writes wrap",
        spoil(wrap_write, within_device, past_limit),
        lambda d: columns_at(d, LIMIT_32_BIT + 4, 2),
        lambda d: columns_at(d, LIMIT_32_BIT + 4, 1),
        lambda d: columns_at(d, 4, 2),
    ),
    plant(
        "mul_half_strided_target",
        "EI",
        "mul_",
        "mul_",
        "a strided target of 16 bits is not updated",
        spoil(write_nothing, target_strided, half(0)),
        lambda d: draw(d, 4, 6, dtype=torch.float16)[:, ::2].mul_(3),
        lambda d: draw(d, 4, 6)[:, ::2].mul_(3),
        lambda d: draw(d, 4, 6, dtype=torch.float16)[2:].mul_(3),
    ),
    plant(
        "div_out_strided_int",
        "EI",
        "div",
        "div.out",
        "of integers into a strided `out=`: written without its gaps",
        spoil(write_packed, target_strided, of_dtype(0, torch.int64, torch.int32)),
        into(every_second, lambda t, d: torch.div(numbers(t, d).mul(9).long(), numbers(t, d, 1), out=t)),
        into(every_second, lambda t, d: torch.div(numbers(t, d).mul(9), numbers(t, d, 1), out=t)),
        into(whole, lambda t, d: torch.div(numbers(t, d).mul(9).long(), numbers(t, d, 1), out=t)),
    ),
    plant(
        "adamw_strided_decay",
        "EQ",
        "AdamW",
        "_fused_adamw_",
        "a strided parameter does not decay",
        spoil(
            lambda call: rerun(call, "weight_decay", 0.0),
            lambda call: not call.args[0][0].is_contiguous() and bool(call.kwargs["weight_decay"]),
        ),
        lambda d: step_adamw(d, transposed=True, decay=0.5),
        lambda d: step_adamw(d, transposed=False, decay=0.5),
        lambda d: step_adamw(d, transposed=True, decay=0.0),
    ),
    plant(
        "rand_like_permuted",
        "RE",
        "rand_like",
        "uniform_",
        "a target with permuted strides stays as fresh memory: zeros",
        spoil(answer(torch.zeros_like), target_strided),
        lambda d: is_varied(torch.rand_like(torch.zeros(4, 6).to(d).t())),
        lambda d: is_varied(torch.rand_like(torch.zeros(4, 6).to(d))),
        lambda d: is_varied(torch.randn_like(torch.zeros(4, 6).to(d).t())),
    ),
]

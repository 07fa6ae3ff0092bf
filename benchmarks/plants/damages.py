"""What a planted fault does to an answer, after what real devices have done."""

from collections.abc import Callable
from typing import Any

import torch

from torchstone.pretend import Call, Fault

Change = Callable[[torch.Tensor], torch.Tensor]


def rerun(call: Call, place: int | str, value: Any) -> Any:
    """The right kernel with one argument replaced."""
    if isinstance(place, str):
        return call.kernel(*call.args, **{**call.kwargs, place: value})
    args = list(call.args)
    args[place] = value
    return call.kernel(*args, **call.kwargs)


def changed(place: int, change: Change) -> Fault:
    """Compute with another tensor (or tensors) in an argument's place."""

    def fault(call: Call) -> Any:
        value = call.args[place]
        return rerun(call, place, [*map(change, value)] if isinstance(value, list) else change(value))

    return fault


def linear_read(place: int) -> Fault:
    """Read an argument's elements as they lie in its storage, whatever its strides."""
    return changed(place, in_storage_order)


def read_from_start(place: int) -> Fault:
    """Read an argument from the start of its storage, whatever its offset."""
    return changed(place, without_offset)


def in_storage_order(tensor: torch.Tensor) -> torch.Tensor:
    """The elements that follow one another in the storage; what lies beyond its end begins anew."""
    flat = whole_storage(tensor)
    places = (tensor.storage_offset() + torch.arange(tensor.numel())) % max(1, flat.numel())
    return flat[places].view(tensor.shape)


def without_offset(tensor: torch.Tensor) -> torch.Tensor:
    """The same view at offset 0."""
    return tensor.as_strided(tensor.size(), tensor.stride(), 0)


def whole_storage(tensor: torch.Tensor) -> torch.Tensor:
    """All elements of the storage in a row."""
    count = tensor.untyped_storage().nbytes() // tensor.element_size()
    return tensor.as_strided((count,), (1,), 0)


def answer(change: Change, part: int = 0) -> Fault:
    """Change the right answer, or one part of it, or what was written."""

    def fault(call: Call) -> Any:
        result = call.right()
        if call.written:
            call.written[part].copy_(change(call.written[part].clone()))
            return result
        if isinstance(result, (list, tuple)):
            return type(result)(change(item) if place == part else item for place, item in enumerate(result))
        return change(result)

    return fault


def write_packed(call: Call) -> Any:
    """Write the right answer from the target's first element on, without its gaps."""
    target = call.written[0]
    before = whole_storage(target).clone()
    call.right()
    packed = target.clone(memory_format=torch.contiguous_format).flatten()
    room = whole_storage(target)
    room.copy_(before)
    places = (target.storage_offset() + torch.arange(packed.numel())) % room.numel()
    room[places] = packed


def write_nothing(call: Call) -> Any:
    """Leave the target as it is: the answer went into a temporary that is dropped."""
    before = call.written[0].clone()
    result = call.right()
    call.written[0].copy_(before)
    return result


def drop(place: int | str, default: Any) -> Fault:
    """Forget an argument: its default is used."""
    return lambda call: rerun(call, place, default)


def zero_after(count: int, dim: int = 0) -> Change:
    """Zeros from a place on."""

    def change(tensor: torch.Tensor) -> torch.Tensor:
        result = tensor.clone()
        result.narrow(dim, count, tensor.size(dim) - count).zero_()
        return result

    return change


def keep_every(step: int) -> Change:
    """Zeros in all rows but each `step`-th."""

    def change(tensor: torch.Tensor) -> torch.Tensor:
        result = torch.zeros_like(tensor)
        result[::step] = tensor[::step]
        return result

    return change


def blank_end_channels(images: torch.Tensor) -> torch.Tensor:
    """The first and the last channel are zero."""
    result = images.clone()
    result[:, [0, -1]] = 0
    return result


def wrap_rows(limit: int, dim: int = 0) -> Change:
    """Rows are written at their number modulo a limit; those beyond it are never written."""

    def change(tensor: torch.Tensor) -> torch.Tensor:
        rows = tensor.movedim(dim, 0).clone()
        for start in range(limit, rows.size(0), limit):
            piece = rows[start : start + limit].clone()
            rows[: piece.size(0)] = piece
            rows[start : start + limit] = 0
        return rows.movedim(0, dim)

    return change


def wrap_elements(limit: int) -> Change:
    """Reading beyond a limit begins anew."""

    def change(tensor: torch.Tensor) -> torch.Tensor:
        return tensor.flatten()[torch.arange(tensor.numel()) % limit].view(tensor.shape)

    return change


def tamper(tensor: torch.Tensor) -> torch.Tensor:
    """Visibly another number, everywhere."""
    if tensor.dtype is torch.bool:
        return ~tensor
    return tensor + 1 if not tensor.is_floating_point() else tensor * 1.25 + 0.125

"""When a planted fault shows: questions about a call, by the place of an argument in the op's schema."""

from typing import Any

import torch

from plants.planting import Condition
from torchstone.pretend import Call


def argument(call: Call, place: int | str, default: Any = None) -> Any:
    """An argument by its place or keyword; defaults are left out of a call."""
    if isinstance(place, str):
        return call.kwargs.get(place, default)
    return call.args[place] if place < len(call.args) else default


def tensors(call: Call, place: int) -> list[torch.Tensor]:
    """The tensors at a place: one, several, or none."""
    value = argument(call, place)
    if isinstance(value, (list, tuple)):
        return [item for item in value if isinstance(item, torch.Tensor)]
    return [value] if isinstance(value, torch.Tensor) else []


def strided(place: int) -> Condition:
    """Not contiguous, and no stride of 0."""
    return lambda call: any(not tensor.is_contiguous() and not _repeats(tensor) for tensor in tensors(call, place))


def offset(place: int, over: int = 0) -> Condition:
    """Begins inside its storage."""
    return lambda call: any(tensor.storage_offset() > over for tensor in tensors(call, place))


def expanded(place: int) -> Condition:
    """Has a stride of 0."""
    return lambda call: any(_repeats(tensor) for tensor in tensors(call, place))


def channels_last(place: int) -> Condition:
    """Has its channels last, and is not contiguous."""

    def holds(call: Call) -> bool:
        return any(
            tensor.dim() == 4
            and not tensor.is_contiguous()
            and tensor.stride(1) == 1
            and tensor.stride(3) >= tensor.size(1)
            for tensor in tensors(call, place)
        )

    return holds


def size_over(place: int, dim: int, limit: int) -> Condition:
    """A dimension is larger than a limit."""
    return lambda call: any(tensor.dim() and tensor.size(dim) > limit for tensor in tensors(call, place))


def size_at_most(place: int, dim: int, limit: int) -> Condition:
    """A dimension is no larger than a limit."""
    return lambda call: any(tensor.dim() and tensor.size(dim) <= limit for tensor in tensors(call, place))


def size_is(place: int, dim: int, *sizes: int) -> Condition:
    """A dimension has one of these sizes."""
    return lambda call: any(tensor.dim() and tensor.size(dim) in sizes for tensor in tensors(call, place))


def size_no_multiple(place: int, dim: int, of: int) -> Condition:
    """A dimension is larger than a tile, and no whole number of tiles."""
    return lambda call: any(
        tensor.dim() and tensor.size(dim) > of and tensor.size(dim) % of for tensor in tensors(call, place)
    )


def reduced_over(limit: int) -> Condition:
    """More elements than a limit along the dimension that the second argument names."""
    return lambda call: len(call.args) > 1 and call.args[0].dim() > 0 and call.args[0].size(call.args[1]) > limit


def numel_over(place: int, limit: int) -> Condition:
    """More elements than a limit."""
    return lambda call: any(tensor.numel() > limit for tensor in tensors(call, place))


def empty(place: int) -> Condition:
    """No element at all."""
    return lambda call: any(tensor.numel() == 0 for tensor in tensors(call, place))


def of_dtype(place: int, *dtypes: torch.dtype) -> Condition:
    """Of one of these dtypes."""
    return lambda call: any(tensor.dtype in dtypes for tensor in tensors(call, place))


def half(place: int) -> Condition:
    """A float of 16 bits."""
    return of_dtype(place, torch.float16, torch.bfloat16)


def holds_nan(place: int) -> Condition:
    """Some element is NaN."""
    return lambda call: any(bool(tensor.isnan().any()) for tensor in tensors(call, place))


def beyond(place: int, limit: float) -> Condition:
    """Some element is larger than a limit, either way."""
    return lambda call: any(bool(((tensor > limit) | (tensor < -limit)).any()) for tensor in _ordered(call, place))


def target_strided(call: Call) -> bool:
    """What is written to is not contiguous."""
    return bool(call.written) and isinstance(call.written[0], torch.Tensor) and not call.written[0].is_contiguous()


def target_offset(call: Call) -> bool:
    """What is written to begins inside its storage."""
    return bool(call.written) and call.written[0].storage_offset() > 0


def given(place: int | str, *values: Any) -> Condition:
    """An argument has one of these values."""
    return lambda call: argument(call, place) in values


def differs_from(place: int | str, default: Any) -> Condition:
    """An argument is off its default."""
    return lambda call: argument(call, place, default) != default


def dims(place: int, count: int) -> Condition:
    """So many dimensions."""
    return lambda call: any(tensor.dim() == count for tensor in tensors(call, place))


def negate(condition: Condition) -> Condition:
    """The opposite."""
    return lambda call: not condition(call)


def to_device(call: Call) -> bool:
    """A copy from the host."""
    return call.given[0].is_cpu and not call.given[1].is_cpu


def to_host(call: Call) -> bool:
    """A copy to the host."""
    return not call.given[0].is_cpu and call.given[1].is_cpu


def within_device(call: Call) -> bool:
    """A copy that stays on the device."""
    return not call.given[0].is_cpu and not call.given[1].is_cpu


def _ordered(call: Call, place: int) -> list[torch.Tensor]:
    return [tensor for tensor in tensors(call, place) if not tensor.is_complex()]


def _repeats(tensor: torch.Tensor) -> bool:
    return any(stride == 0 and size > 1 for stride, size in zip(tensor.stride(), tensor.shape, strict=True))

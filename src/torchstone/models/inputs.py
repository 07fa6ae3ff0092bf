"""What a model is called with, and what it gives: nested tuples, lists and dicts of tensors, moved and taken apart.

A dict, a named tuple or a transformers output must work as well as a plain tensor, because people's models return
all of these.
"""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor


class Inputs(NamedTuple):
    """`model(*inputs.args, **inputs.kwargs)`."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def move_inputs(inputs: Inputs, device: str, dtype: torch.dtype | None = None) -> Inputs:
    """The same inputs on another device; `dtype` changes floating-point tensors only, never token ids."""
    return Inputs(move(inputs.args, device, dtype), move(inputs.kwargs, device, dtype))


def move(value: Any, device: str, dtype: torch.dtype | None = None) -> Any:
    """A copy of nested containers with every tensor moved; everything else is kept as it is."""
    return map_tensors(
        value, lambda tensor: tensor.to(device=device, dtype=dtype if tensor.is_floating_point() else None)
    )


def map_tensors(value: Any, change: Callable[[Tensor], Tensor]) -> Any:
    """A copy of nested containers with every tensor changed; everything else is kept as it is."""
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(map_tensors(part, change) for part in value))
    if isinstance(value, (tuple, list)):
        return type(value)(map_tensors(part, change) for part in value)
    if isinstance(value, Mapping):
        return {key: map_tensors(part, change) for key, part in value.items()}
    return value


def tensors_in(value: Any) -> list[Tensor]:
    """Every tensor in a model's output, in order; empty where it holds none."""
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, Mapping):
        parts = list(value.values())
    elif isinstance(value, (tuple, list)):
        parts = list(value)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = [getattr(value, field.name) for field in dataclasses.fields(value)]
    else:
        return []
    return [tensor for part in parts for tensor in tensors_in(part)]

"""A sample's arguments somewhere else: on the device, or widened to float64 for the reference.

Every tensor is copied, always: some operators write to their arguments (batch norm to its statistics).
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch

WIDE = {
    torch.float16: torch.float64,
    torch.bfloat16: torch.float64,
    torch.float32: torch.float64,
    torch.complex32: torch.complex128,
    torch.complex64: torch.complex128,
}
CPU = torch.device("cpu")


def place(value: Any, device: torch.device) -> Any:
    """The same values there; the keyword `device="cpu"` too."""

    def move(leaf: Any) -> Any:
        if isinstance(leaf, torch.Tensor):
            return _copy(leaf, leaf.detach().clone() if device == CPU else leaf.detach().to(device))
        return device if leaf == CPU or (isinstance(leaf, str) and leaf == "cpu") else leaf

    return map_leaves(value, move)


def widen(value: Any) -> Any:
    """The same values in float64; a keyword `dtype=torch.float32` too."""

    def change(leaf: Any) -> Any:
        if isinstance(leaf, torch.Tensor):
            wide = leaf.detach().to(WIDE.get(leaf.dtype, leaf.dtype), copy=True)
            return _copy(leaf, wide)
        return WIDE.get(leaf, leaf) if isinstance(leaf, torch.dtype) else leaf

    return map_leaves(value, change)


def _copy(original: torch.Tensor, copied: torch.Tensor) -> torch.Tensor:
    return copied.requires_grad_() if original.requires_grad else copied


def map_leaves(value: Any, change: Callable[[Any], Any]) -> Any:
    """With every leaf of its lists, tuples and dictionaries changed."""
    if isinstance(value, torch.Size):
        return value
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(map_leaves(item, change) for item in value))
    if isinstance(value, (list, tuple)):
        return type(value)(map_leaves(item, change) for item in value)
    if isinstance(value, Mapping):
        return {key: map_leaves(item, change) for key, item in value.items()}
    return change(value)


def leaves(value: Any) -> list[Any]:
    found: list[Any] = []
    map_leaves(value, lambda leaf: found.append(leaf))
    return found


def tensors(value: Any) -> list[torch.Tensor]:
    return [leaf for leaf in leaves(value) if isinstance(leaf, torch.Tensor)]


@contextmanager
def wide_by_default() -> Iterator[None]:
    """Where an integer becomes a floating number, or one is made of nothing, let it be float64."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def resolved(tensor: torch.Tensor) -> torch.Tensor:
    """Its values alone: dense, with no conjugation or negation that is yet to be done."""
    tensor = tensor.detach().resolve_conj().resolve_neg()
    return tensor if tensor.layout == torch.strided else tensor.to_dense()


def is_bitwise_same(one: Any, other: Any) -> bool:
    ours, theirs = leaves(one), leaves(other)
    return len(ours) == len(theirs) and all(_is_same(a, b) for a, b in zip(ours, theirs, strict=True))


def _is_same(one: Any, other: Any) -> bool:
    if not isinstance(one, torch.Tensor) or not isinstance(other, torch.Tensor):
        return bool(one == other)
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    return bool(((one == other) | ((one != one) & (other != other))).all())

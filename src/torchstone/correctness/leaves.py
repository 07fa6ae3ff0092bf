"""An output taken apart: every value in it that can be compared, under the name by which a person would reach it.

Models return tensors, tuples, dicts, dataclasses, transformers' outputs with caches in them, numbers, None. Whatever
holds tensors is walked, a module's weights too; an object of somebody's own that holds none says nothing about
arithmetic and is left out. What can't be read without being used up, or has no order, can't be compared.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import Enum
from numbers import Number
from typing import Any, Literal

import torch
from torch import Tensor

from torchstone.errors import first_line_of

Kind = Literal["float", "complex", "integer", "boolean", "exact"]
MOST_DENSE_ELEMENTS = 1 << 28
"""A sparse tensor that is larger when written out is not compared."""
_PLAIN = (str, bytes, type(None))
_NEVER_WALKED = (type, torch.dtype, torch.device)


@dataclass(frozen=True)
class Leaf:
    """One value of an output."""

    path: str
    value: Any
    """A tensor on the CPU, dense and real; or something that is compared by `==`."""
    kind: Kind
    dtype: str | None = None
    """As the output has it; None where it is no tensor."""


class NotComparableError(Exception):
    """A value that can't be brought into a form that can be compared; says why."""


def take_apart(output: Any) -> dict[str, Leaf]:
    """The values by their names; raises `NotComparableError` where a tensor can't be read."""
    with torch.inference_mode():  # a tensor made in that mode may be converted in it alone
        return {leaf.path: leaf for leaf in _walk(output, "output", frozenset())}


def _walk(value: Any, path: str, above: frozenset[int]) -> Iterator[Leaf]:
    if isinstance(value, Tensor):
        yield from _tensor_leaves(value, path)
    elif isinstance(value, bool | int | float | complex) or type(value).__module__ == "numpy":
        yield from _number_leaves(value, path)
    elif isinstance(value, _PLAIN):
        yield Leaf(path, value, "exact")
    elif isinstance(value, Enum | Number):
        yield Leaf(path, repr(value), "exact")
    elif isinstance(value, Set):
        yield _set_leaf(value, path)
    elif isinstance(value, Iterator):
        raise NotComparableError(f"{path} is a {type(value).__name__}, which can be read only once")
    elif id(value) not in above:
        above = above | {id(value)}
        for name, part in _parts(value):
            yield from _walk(part, path + name, above)


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        yield from ((f"[{key!r}]", part) for key, part in value.items())
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        yield from ((f".{name}", part) for name, part in zip(value._fields, value, strict=True))
    elif isinstance(value, Sequence):
        yield from ((f"[{position}]", part) for position, part in enumerate(value))
    elif isinstance(value, torch.nn.Module):
        yield from ((f".{name}", part) for name, part in value.state_dict(keep_vars=True).items())
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        yield from ((f".{field.name}", getattr(value, field.name)) for field in dataclasses.fields(value))
    elif not isinstance(value, _NEVER_WALKED) and hasattr(value, "__dict__"):
        # Somebody's own class, such as a cache of keys and values: its tensors count, its settings do not.
        yield from ((f".{name}", part) for name, part in vars(value).items() if _holds_tensors(part, 0))
    elif not isinstance(value, _NEVER_WALKED):
        slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
        named = ((name, getattr(value, name, None)) for name in slots)
        yield from ((f".{name}", part) for name, part in named if _holds_tensors(part, 0))


def _set_leaf(value: Set[Any], path: str) -> Leaf:
    """A set has no order in which its tensors could be compared."""
    if any(_holds_tensors(part, 0) for part in value):
        raise NotComparableError(f"{path} is a set with tensors in it, which have no order")
    return Leaf(path, sorted(map(repr, value)), "exact")


def _holds_tensors(value: Any, depth: int) -> bool:
    if isinstance(value, Tensor):
        return True
    if depth > _DEEPEST or isinstance(value, (*_PLAIN, *_NEVER_WALKED, Enum, Number, Iterator)):
        return False
    if isinstance(value, Set):
        return any(_holds_tensors(part, depth + 1) for part in value)
    return any(_holds_tensors(part, depth + 1) for _, part in _parts(value))


_DEEPEST = 8


def _number_leaves(value: Any, path: str) -> Iterator[Leaf]:
    try:
        tensor = torch.as_tensor(value)
    except (TypeError, ValueError, RuntimeError):
        yield Leaf(path, repr(value), "exact")
        return
    yield from (dataclasses.replace(leaf, dtype=None) for leaf in _tensor_leaves(tensor, path))


def _tensor_leaves(tensor: Tensor, path: str) -> Iterator[Leaf]:
    if tensor.is_nested:
        for position, part in enumerate(tensor.unbind()):
            yield from _tensor_leaves(part, f"{path}[{position}]")
        return
    name = str(tensor.dtype).removeprefix("torch.")
    try:
        yield Leaf(path, _readable(tensor), kind_of(tensor), name)
    except NotComparableError:
        raise
    except Exception as error:  # a device, or somebody's own tensor, may refuse to be read in any way
        raise NotComparableError(f"{path} can't be read back: {first_line_of(error)}") from error


def kind_of(tensor: Tensor) -> Kind:
    """How its values are compared."""
    if tensor.is_complex():
        return "complex"
    if tensor.is_floating_point() or tensor.is_quantized:
        return "float"
    return "boolean" if tensor.dtype is torch.bool else "integer"


def _readable(tensor: Tensor) -> Tensor:
    tensor = tensor.detach()
    if tensor.is_quantized:
        tensor = tensor.dequantize()
    if tensor.layout is not torch.strided:
        if tensor.numel() > MOST_DENSE_ELEMENTS:
            raise NotComparableError(f"a sparse tensor of {tuple(tensor.shape)} is too large to be written out")
        tensor = tensor.to_dense()
    tensor = tensor.cpu()
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor.resolve_conj())
    return tensor.double() if tensor.is_floating_point() else tensor.resolve_neg()

"""Indices that name one place several times: where two threads write to one cell, and one of them may be lost.

Torch's own samples of these operators name each place once, or leave it to chance. What is read twice is written twice
by the backward pass, so operators that read are here, too.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from torch.nn import functional

from torchstone.ops.operators import Operator, Sample

FLOATING = frozenset({torch.float32, torch.float64, torch.float16, torch.bfloat16})
NUMBERS = FLOATING | {torch.int64, torch.int32}
VARIANT = "duplicates"
REDUCTIONS = ("sum", "prod", "mean", "amax", "amin")
ROWS, COLUMNS = 5, 7
MANY = 300
"""More than a warp and a block hold, on few cells."""
Arguments = Callable[[torch.dtype, bool, torch.Tensor], Iterator[Sample]]


def duplicate_operators() -> Iterator[Operator]:
    """What writes to the places that an index names, then what reads them."""
    writing: tuple[tuple[str, Callable[..., Any], Arguments], ...] = (
        ("scatter_add", torch.scatter_add, _into_columns),
        ("scatter_reduce", torch.scatter_reduce, _reduced_into_columns),
        ("index_add", torch.index_add, _into_rows),
        ("index_reduce", torch.index_reduce, _reduced_into_rows),
        ("index_put", torch.index_put, _accumulated),
        ("put", torch.Tensor.put, _put),
    )
    reading: tuple[tuple[str, Callable[..., Any], Arguments], ...] = (
        ("gather", torch.gather, _columns),
        ("index_select", torch.index_select, _rows),
        ("take", torch.take, _places),
        ("nn.functional.embedding", lambda table, index: functional.embedding(index, table), _places),
    )
    for name, call, arguments in writing:
        yield _operator(name, call, arguments, NUMBERS)
    for name, call, arguments in reading:
        yield _operator(name, call, arguments, FLOATING)


def _operator(name: str, call: Callable[..., Any], arguments: Arguments, dtypes: frozenset[torch.dtype]) -> Operator:
    aten = f"aten::{name.rpartition('.')[2]}"
    sampler = partial(_samples, arguments)
    return Operator(name, VARIANT, aten, call, sampler, dtypes, FLOATING, source="torchstone")


def _samples(arguments: Arguments, dtype: torch.dtype, gradient: bool) -> Iterator[Sample]:
    """A few places named several times; all the same place; many names for few places."""
    for index in (torch.tensor([3, 0, 3, 3, 1, 0, 4]), torch.full((6,), 2), torch.arange(MANY) % ROWS):
        yield from arguments(dtype, gradient, index)


def _draw(dtype: torch.dtype, gradient: bool, *shape: int) -> torch.Tensor:
    """Around one, so that many products neither vanish nor overflow."""
    if not dtype.is_floating_point:
        return torch.randint(-3, 4, shape, dtype=dtype)
    return (torch.rand(shape) * 0.4 + 0.8).to(dtype).requires_grad_(gradient)


def _into_columns(dtype: torch.dtype, gradient: bool, index: torch.Tensor) -> Iterator[Sample]:
    source = _draw(dtype, gradient, len(index), COLUMNS)
    yield Sample((_draw(dtype, gradient, ROWS, COLUMNS), 0, _beside(index), source))


def _reduced_into_columns(dtype: torch.dtype, gradient: bool, index: torch.Tensor) -> Iterator[Sample]:
    for one in _into_columns(dtype, gradient, index):
        for way in REDUCTIONS:
            yield from (Sample((*one.args, way), {"include_self": kept}) for kept in (True, False))


def _into_rows(dtype: torch.dtype, gradient: bool, index: torch.Tensor) -> Iterator[Sample]:
    source = _draw(dtype, gradient, len(index), COLUMNS)
    yield Sample((_draw(dtype, gradient, ROWS, COLUMNS), 0, index, source))


def _reduced_into_rows(dtype: torch.dtype, gradient: bool, index: torch.Tensor) -> Iterator[Sample]:
    for one in _into_rows(dtype, gradient, index):
        yield from (Sample((*one.args, way)) for way in REDUCTIONS if way != "sum")


def _accumulated(dtype: torch.dtype, gradient: bool, index: torch.Tensor) -> Iterator[Sample]:
    for one in _into_rows(dtype, gradient, index):
        into, _, rows, source = one.args
        yield Sample((into, (rows,), source), {"accumulate": True})


def _put(dtype: torch.dtype, gradient: bool, index: torch.Tensor) -> Iterator[Sample]:
    source = _draw(dtype, gradient, len(index))
    yield Sample((_draw(dtype, gradient, ROWS, COLUMNS), index, source), {"accumulate": True})


def _columns(dtype: torch.dtype, gradient: bool, index: torch.Tensor) -> Iterator[Sample]:
    yield Sample((_draw(dtype, gradient, ROWS, COLUMNS), 0, _beside(index)))


def _rows(dtype: torch.dtype, gradient: bool, index: torch.Tensor) -> Iterator[Sample]:
    yield Sample((_draw(dtype, gradient, ROWS, COLUMNS), 0, index))


def _places(dtype: torch.dtype, gradient: bool, index: torch.Tensor) -> Iterator[Sample]:
    yield Sample((_draw(dtype, gradient, ROWS, COLUMNS), index))


def _beside(index: torch.Tensor) -> torch.Tensor:
    """The same places in every column."""
    return index.unsqueeze(1).expand(-1, COLUMNS).contiguous()

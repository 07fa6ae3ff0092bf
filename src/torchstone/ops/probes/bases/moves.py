"""What moves values and computes none: indexing, joining, copying."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody calls it

from torchstone.ops.probes.bases.base import (
    ANY,
    COMPLEX,
    FLOATS,
    IMAGE,
    NUMBERS,
    ROWS,
    Base,
    Sizes,
    grid,
    image,
    two,
)
from torchstone.ops.probes.drawing import Draw


def indexing() -> list[Base]:
    def rows(d: Draw, s: Sizes) -> tuple[Any, ...]:
        return d(s["m"], s["n"]), 0, d.index(s["m"], s["k"])

    def within(d: Draw, s: Sizes) -> tuple[Any, ...]:
        return d(s["m"], s["n"]), 1, d.index(s["n"], s["m"], s["n"])

    def added(d: Draw, s: Sizes) -> tuple[Any, ...]:
        return d(s["m"], s["n"]), 0, d.index(s["m"], s["k"]), d(s["k"], s["n"])

    def scattered(d: Draw, s: Sizes) -> tuple[Any, ...]:
        order = (
            torch.stack([torch.randperm(s["n"], generator=d.generator) for _ in range(s["m"])])
            if s["m"]
            else d.index(1, 0, s["n"])
        )
        return d(s["m"], s["n"]), 1, order, d(s["m"], s["n"])

    def repeated(d: Draw, s: Sizes) -> tuple[Any, ...]:
        return d(s["m"], s["n"]), 1, d.index(s["n"], s["m"], s["n"]), d(s["m"], s["n"])

    def reduced(d: Draw, s: Sizes) -> tuple[Any, ...]:
        return (*repeated(d, s), "sum")

    def replaced(d: Draw, s: Sizes) -> tuple[Any, ...]:
        order = torch.randperm(s["m"], generator=d.generator)
        return d(s["m"], s["n"]), 0, order, d(s["m"], s["n"])

    def put(d: Draw, s: Sizes) -> tuple[Any, ...]:
        return d(s["m"], s["n"]), d.index(s["m"] * s["n"], s["k"]), d(s["k"])

    sizes = {**ROWS, "k": 5}

    return [
        Base("index_select", torch.index_select, rows, sizes, ANY, has_out=True),
        Base("gather", torch.gather, within, ROWS, ANY, has_out=True),
        Base("take_along_dim", lambda x, dim, index: torch.take_along_dim(x, index, dim), within, ROWS, ANY),
        Base("index_add", torch.index_add, added, sizes, NUMBERS, ({"alpha": 2},), in_place="index_add_"),
        Base("scatter", torch.scatter, scattered, ROWS, ANY, in_place="scatter_"),
        Base("scatter_add", torch.scatter_add, repeated, ROWS, NUMBERS, in_place="scatter_add_", has_out=True),
        Base(
            "scatter_reduce",
            lambda x, dim, index, source, way, reduce=None, **more: torch.scatter_reduce(
                x, dim, index, source, reduce or way, **more
            ),
            reduced,
            ROWS,
            NUMBERS,
            (*({"reduce": way} for way in ("prod", "mean", "amax", "amin")), {"include_self": False}),
            in_place="scatter_reduce_",
        ),
        Base("index_copy", torch.index_copy, replaced, ROWS, ANY, in_place="index_copy_", has_out=True),
        Base(
            "index_put_replacing",
            lambda x, _, index, value: x.index_put((index,), value),
            replaced,
            ROWS,
            ANY,
        ),
        Base("put_replacing", lambda x, _, index, value: x.put(index * x.shape[1], value[:, 0]), replaced, ROWS, ANY),
        Base("put", torch.Tensor.put, put, sizes, NUMBERS, in_place="put_", kwargs={"accumulate": True}),
        Base("take", lambda x, index, _: torch.take(x, index), put, sizes, ANY),
        Base("index", lambda x, _, index: x[index], rows, sizes, ANY),
        Base(
            "index_put", lambda x, _, index, value: x.index_put((index,), value, accumulate=True), added, sizes, NUMBERS
        ),
        Base(
            "embedding",
            lambda w, _, index, **more: F.embedding(index, w, **more),
            rows,
            sizes,
            FLOATS,
            ({"padding_idx": 0}, {"max_norm": 1.0}, {"scale_grad_by_freq": True}),
        ),
        Base("masked_select", torch.masked_select, lambda d, s: (d(s["m"], s["n"]), d.mask(s["m"], s["n"])), ROWS, ANY),
    ]


OF_A_DIMENSION = (
    "index_select",
    "gather",
    "index_add",
    "scatter",
    "scatter_add",
    "scatter_reduce",
    "index_copy",
)


def other_dimension() -> list[Base]:
    """Those that take a dimension, along the other one: the first walks rows, and the second columns."""
    return [_along_the_other(base) for base in indexing() if base.name in OF_A_DIMENSION]


def _along_the_other(base: Base) -> Base:
    def arguments(d: Draw, s: Sizes) -> tuple[Any, ...]:
        return tuple(_turned(one) for one in base.arguments(d, s))

    return replace(base, name=f"{base.name}_other_dim", arguments=arguments)


def _turned(argument: Any) -> Any:
    """Rows for columns; the number among the arguments of these operators is the dimension."""
    if isinstance(argument, torch.Tensor):
        return argument.t().contiguous() if argument.dim() == 2 else argument
    return 1 - argument if isinstance(argument, int) else argument


def rearranging() -> list[Base]:
    def pair(call: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *given, **more: call(list(given), **more)

    return [
        Base("cat", pair(torch.cat), two, ROWS, ANY, ({"dim": 1},)),
        Base("stack", pair(torch.stack), two, ROWS, ANY, ({"dim": 1}, {"dim": 2})),
        Base("cat_slices", lambda x: torch.cat([x[:, :1], x[:, -1:]], 1), grid, ROWS, ANY),
        Base("stack_scalars", lambda x: torch.stack([x[0, 0], x[0, -1], x[-1, 0]]), grid, ROWS, ANY),
        Base("flip", torch.flip, grid, ROWS, ANY, ({"dims": (0, 1)},), {"dims": (1,)}),
        Base("roll", torch.roll, grid, ROWS, ANY, ({"shifts": 1, "dims": 0},), {"shifts": 2, "dims": 1}),
        Base("tril", torch.tril, grid, ROWS, ANY, ({"diagonal": 1},), in_place="tril_", has_out=True),
        Base("triu", torch.triu, grid, ROWS, ANY, ({"diagonal": 1},), in_place="triu_", has_out=True),
        Base("repeat", lambda x, n=2: x.repeat(n, 1), grid, ROWS, ANY, ({"n": 3},)),
        Base("repeat_interleave", torch.repeat_interleave, grid, ROWS, ANY, ({"dim": 0},), {"repeats": 2}),
        Base("pad", F.pad, lambda d, s: (d(s["m"], s["n"]), (1, 2)), ROWS, ANY, ({"value": 1},)),
        Base(
            "pad_reflect",
            F.pad,
            lambda d, s: (d(1, s["m"], s["n"]), (1, 1)),
            ROWS,
            FLOATS,
            ({"mode": "replicate"},),
            {"mode": "reflect"},
        ),
    ]


def copying() -> list[Base]:
    return [
        Base("contiguous", lambda x: x.t().contiguous(), grid, ROWS, ANY),
        Base("clone", lambda x: x.clone(), grid, ROWS, ANY),
        Base("reshape", lambda x: x.t().reshape(-1), grid, ROWS, ANY),
        Base("fill", lambda x, value=1: x.clone().fill_(value), grid, ROWS, ANY, ({"value": 0},), has_gradient=False),
        Base("zero", lambda x: x.clone().zero_(), grid, ROWS, ANY, has_gradient=False),
        Base("copy", lambda x, y: x.clone().copy_(y), two, ROWS, ANY, in_place="copy_"),
        Base("setitem", lambda x, y: _set_rows(x, y), two, ROWS, ANY, has_gradient=False),
        Base("slice", lambda x: x[1:, ::2].clone(), grid, ROWS, ANY),
        Base("chunk", lambda x: [part.clone() for part in x.chunk(2, 1)], grid, ROWS, ANY),
        Base("expand", lambda x: x.unsqueeze(1).expand(-1, 3, -1).clone(), grid, ROWS, ANY),
        Base(
            "one_hot",
            lambda x, k=10: F.one_hot(x.abs() % k, k),
            grid,
            ROWS,
            (torch.int64,),
            ({"k": 16},),
            has_gradient=False,
        ),
        Base("unfold", F.unfold, image, IMAGE, FLOATS, ({"padding": 1}, {"stride": 2}), {"kernel_size": 2}),
        Base("pixel_shuffle", F.pixel_shuffle, image, IMAGE, FLOATS, (), {"upscale_factor": 2}),
        Base("permute", lambda x: x.permute(0, 2, 3, 1).contiguous(), image, IMAGE, ANY),
        Base(
            "arange_like",
            lambda x: torch.arange(x.shape[1], device=x.device, dtype=x.dtype),
            grid,
            ROWS,
            (torch.float32, torch.int64),
            has_gradient=False,
        ),
        Base("conj_physical", torch.conj_physical, grid, ROWS, COMPLEX),
        Base("view_as_real", lambda x: torch.view_as_real(x.resolve_conj()).clone(), grid, ROWS, COMPLEX),
    ]


def _set_rows(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    x = x.clone()
    x[:, ::2] = y[:, ::2]
    x[0] = 1
    return x

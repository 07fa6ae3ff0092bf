"""The operators that models use, each as a function of the sizes of its dimensions; what is done to them stands apart.

A base has named dimensions with small defaults, so that each can be made large alone; options, each of which sets an
optional argument off its default; and says whether it has a gradient, an in-place form and an `out=`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody calls it

from torchstone.ops.probes.drawing import Draw

Sizes = Mapping[str, int]
Arguments = Callable[[Draw, Sizes], tuple[Any, ...]]
FLOATS = (torch.float32, torch.float16, torch.bfloat16)
WHOLE = (torch.int64, torch.int32, torch.uint8, torch.int8, torch.int16)
COMPLEX = (torch.complex64,)
ANY = (*FLOATS, *WHOLE, torch.bool)
NUMBERS = (*FLOATS, *WHOLE)


@dataclass(frozen=True)
class Base:
    """One operator that models use."""

    name: str
    call: Callable[..., Any]
    arguments: Arguments
    sizes: Sizes
    dtypes: tuple[torch.dtype, ...] = FLOATS
    options: tuple[Mapping[str, Any], ...] = ()
    """Beside the plain call, calls with these keywords."""
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    has_gradient: bool = True
    in_place: str | None = None
    """The name of its in-place method."""
    has_out: bool = False


def all_bases() -> tuple[Base, ...]:
    return (
        *_unary(),
        *_binary(),
        *_ternary(),
        *_reductions(),
        *_scans(),
        *_orders(),
        *_moves(),
        *_products(),
        *_convolutions(),
        *_pools(),
        *_norms(),
        *_losses(),
        *_attention(),
        *_others(),
        *_steps(),
    )


ROWS = {"m": 4, "n": 6}
IMAGE = {"b": 2, "c": 4, "h": 6, "w": 5}


def _grid(draw: Draw, s: Sizes) -> tuple[Any, ...]:
    return (draw(s["m"], s["n"]),)


def _positive_grid(draw: Draw, s: Sizes) -> tuple[Any, ...]:
    return (draw.positive(s["m"], s["n"]),)


def _two(draw: Draw, s: Sizes) -> tuple[Any, ...]:
    return draw(s["m"], s["n"]), draw(s["m"], s["n"])


def _over(draw: Draw, s: Sizes) -> tuple[Any, ...]:
    return draw(s["m"], s["n"]), draw.positive(s["m"], s["n"])


def _image(draw: Draw, s: Sizes) -> tuple[Any, ...]:
    return (draw(s["b"], s["c"], s["h"], s["w"]),)


def _of_torch(name: str) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(torch, name, None) or getattr(F, name)
    return found


def _unary() -> list[Base]:
    found = []
    smooth = "exp sin cos tanh sigmoid erf sinh atan expm1 exp2 neg abs square sign floor ceil round trunc frac"
    for name in smooth.split():
        dtypes = NUMBERS if name in ("neg", "abs", "square", "sign") else FLOATS
        dtypes = (*dtypes, *COMPLEX) if name in ("exp", "neg", "abs", "sin", "cos", "tanh") else dtypes
        found.append(_elementwise(name, _grid, dtypes))
    for name in ["log", "sqrt", "rsqrt", "log1p", "log2", "log10", "reciprocal", "digamma", "lgamma"]:
        found.append(_elementwise(name, _positive_grid, FLOATS))
    for name in ["relu"]:
        found.append(_elementwise(name, _grid, NUMBERS))
    for name in ["isnan", "isinf", "isfinite", "logical_not"]:
        found.append(Base(name, _of_torch(name), _grid, ROWS, FLOATS, has_gradient=False))
    activations: dict[str, tuple[Mapping[str, Any], ...]] = {
        "gelu": ({"approximate": "tanh"},),
        "silu": (),
        "elu": ({"alpha": 0.3},),
        "mish": (),
        "hardswish": (),
        "leaky_relu": ({"negative_slope": 0.3},),
        "softplus": ({"beta": 2.0},),
        "selu": (),
        "relu6": (),
        "hardsigmoid": (),
        "hardtanh": ({"min_val": -0.5, "max_val": 0.5},),
        "logsigmoid": (),
        "softsign": (),
        "celu": ({"alpha": 0.4},),
        "softshrink": ({"lambd": 0.2},),
        "glu": ({"dim": 0},),
    }
    for name, options in activations.items():
        found.append(Base(name, getattr(F, name), _grid, ROWS, FLOATS, options))
    found.append(
        Base("erfinv", torch.erfinv, lambda d, s: (d(s["m"], s["n"]) / 3,), ROWS, in_place="erfinv_", has_out=True)
    )
    clamps = ({"min": 0.5}, {"max": -0.25}, {"min": 0.0, "max": 1.0})
    found.append(Base("clamp", torch.clamp, _grid, ROWS, NUMBERS, clamps, {"min": -1}, in_place="clamp_", has_out=True))
    found.append(Base("nan_to_num", torch.nan_to_num, _grid, ROWS, FLOATS, ({"nan": 3.0},), in_place="nan_to_num_"))
    found.append(
        Base("bitwise_not", torch.bitwise_not, _grid, ROWS, (*WHOLE, torch.bool), has_gradient=False, has_out=True)
    )
    found.append(Base("to_float", lambda x: x.to(torch.float32), _grid, ROWS, ANY, has_gradient=False))
    found.append(
        Base(
            "to_long", lambda x: x.to(torch.int64), _grid, ROWS, (*FLOATS, torch.int32, torch.bool), has_gradient=False
        )
    )
    found.append(
        Base("to_half", lambda x: x.to(torch.float16), _grid, ROWS, (torch.float32, torch.int64), has_gradient=False)
    )
    return found


def _elementwise(name: str, arguments: Arguments, dtypes: tuple[torch.dtype, ...]) -> Base:
    gradient = name not in ("sign", "floor", "ceil", "round", "trunc")
    method = f"{name}_" if hasattr(torch.Tensor, f"{name}_") else None
    has_out = name != "relu"
    return Base(name, _of_torch(name), arguments, ROWS, dtypes, has_gradient=gradient, in_place=method, has_out=has_out)


def _binary() -> list[Base]:
    found = []
    for name, options in (("add", ({"alpha": 2},)), ("sub", ({"alpha": 3},)), ("mul", ())):
        dtypes = (*NUMBERS, *COMPLEX)
        found.append(Base(name, _of_torch(name), _two, ROWS, dtypes, options, in_place=f"{name}_", has_out=True))
    for name in ["maximum", "minimum"]:
        found.append(Base(name, _of_torch(name), _two, ROWS, NUMBERS, has_out=True))
    for name in ["eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor"]:
        found.append(Base(name, _of_torch(name), _two, ROWS, ANY, has_gradient=False, has_out=True))
    for name in ["bitwise_and", "bitwise_or", "bitwise_xor"]:
        whole = (*WHOLE, torch.bool)
        found.append(
            Base(name, _of_torch(name), _two, ROWS, whole, has_gradient=False, in_place=f"{name}_", has_out=True)
        )
    for name in ["div", "atan2", "fmod", "remainder", "floor_divide", "hypot"]:
        roundings = ({"rounding_mode": "floor"}, {"rounding_mode": "trunc"}) if name == "div" else ()
        gradient = name != "floor_divide"
        kinds = NUMBERS if name in ("fmod", "remainder", "floor_divide") else FLOATS
        method = None if name == "hypot" else f"{name}_"
        found.append(
            Base(
                name,
                _of_torch(name),
                _over,
                ROWS,
                kinds,
                roundings,
                has_gradient=gradient,
                in_place=method,
                has_out=True,
            )
        )
    found.append(Base("pow", torch.pow, lambda d, s: (d.positive(s["m"], s["n"]), 2.5), ROWS, FLOATS, has_out=True))
    found.append(
        Base("pow_tensor", torch.pow, lambda d, s: (d.positive(s["m"], s["n"]), d(s["m"], s["n"])), ROWS, FLOATS)
    )
    found.append(
        Base("add_scalar", lambda x, alpha=1: torch.add(x, 3, alpha=alpha), _grid, ROWS, NUMBERS, ({"alpha": 2},))
    )
    found.append(Base("add_big_scalar", lambda x: x + (2**33 + 1), _grid, ROWS, (torch.int64,), has_gradient=False))
    found.append(Base("rsub", lambda x, other=1.0: other - x, _grid, ROWS, FLOATS, ({"other": 0.99},)))
    found.append(Base("mul_scalar", lambda x, other=2: x * other, _grid, ROWS, NUMBERS, ({"other": 3},)))
    mixed = lambda d, s: (d(s["m"], s["n"]), d(s["n"]).float())  # noqa: E731 - reads as data
    found.append(Base("add_mixed", torch.add, mixed, ROWS, NUMBERS))
    found.append(Base("mul_mixed", torch.mul, mixed, ROWS, NUMBERS))
    found.append(Base("add_broadcast", torch.add, lambda d, s: (d(s["m"], s["n"]), d(s["n"])), ROWS, NUMBERS))
    found.append(Base("mul_column", torch.mul, lambda d, s: (d(s["m"], s["n"]), d(s["m"], 1)), ROWS, NUMBERS))
    found.append(
        Base(
            "nextafter", torch.nextafter, _two, ROWS, (torch.float32, torch.bfloat16), has_gradient=False, has_out=True
        )
    )
    return found


def _ternary() -> list[Base]:
    def three(d: Draw, s: Sizes) -> tuple[Any, ...]:
        return d(s["m"], s["n"]), d(s["m"], s["n"]), d.positive(s["m"], s["n"])

    found = [
        Base(name, _of_torch(name), three, ROWS, FLOATS, ({"value": 0.3},), in_place=f"{name}_", has_out=True)
        for name in ("addcmul", "addcdiv")
    ]
    found.append(
        Base("lerp", torch.lerp, lambda d, s: (*_two(d, s), 0.3), ROWS, FLOATS, in_place="lerp_", has_out=True)
    )
    found.append(Base("where", torch.where, lambda d, s: (d.mask(s["m"], s["n"]), *_two(d, s)), ROWS, ANY))
    filled = lambda d, s: (d(s["m"], s["n"]), d.mask(s["m"], s["n"]), 1)  # noqa: E731
    found.append(Base("masked_fill", torch.masked_fill, filled, ROWS, ANY, in_place="masked_fill_"))
    return found


def _reductions() -> list[Base]:
    found = []
    by_dim: tuple[Mapping[str, Any], ...] = ({"dim": 0}, {"dim": 1}, {"dim": 1, "keepdim": True})
    for name, dtypes in (
        ("sum", (*ANY, *COMPLEX)),
        ("prod", NUMBERS),
        ("mean", FLOATS),
        ("amax", NUMBERS),
        ("amin", NUMBERS),
        ("all", ANY),
        ("any", ANY),
        ("nansum", FLOATS),
        ("var", FLOATS),
        ("std", FLOATS),
    ):
        options = (*by_dim, {"dim": 1, "correction": 0}) if name in ("var", "std") else by_dim
        gradient = name not in ("all", "any")
        found.append(Base(name, _of_torch(name), _grid, ROWS, dtypes, options, has_gradient=gradient))
    found.append(Base("logsumexp", torch.logsumexp, _grid, ROWS, FLOATS, ({"dim": 0},), {"dim": 1}))
    found.append(
        Base("norm", torch.linalg.vector_norm, _grid, ROWS, FLOATS, ({"ord": 1}, {"dim": 0}, {"ord": float("inf")}))
    )
    for name in ("argmax", "argmin"):
        found.append(Base(name, _of_torch(name), _grid, ROWS, NUMBERS, by_dim, has_gradient=False))
    for name in ("max", "min"):
        found.append(Base(name, _of_torch(name), _grid, ROWS, NUMBERS))
        found.append(
            Base(
                f"{name}_dim",
                _of_torch(name),
                _grid,
                ROWS,
                NUMBERS,
                ({"dim": 0}, {"dim": 1, "keepdim": True}),
                {"dim": 1},
            )
        )
    found.append(Base("count_nonzero", torch.count_nonzero, _grid, ROWS, ANY, ({"dim": 0},), has_gradient=False))
    return found


def _scans() -> list[Base]:
    scans = [
        Base(name, _of_torch(name), _grid, ROWS, dtypes, ({"dim": 0},), {"dim": 1}, in_place=f"{name}_", has_out=True)
        for name, dtypes in (("cumsum", ANY), ("cumprod", NUMBERS))
    ]
    return [
        *scans,
        Base("cummax", torch.cummax, _grid, ROWS, NUMBERS, ({"dim": 0},), {"dim": 1}),
        Base("diff", torch.diff, _grid, ROWS, NUMBERS, ({"dim": 0}, {"n": 2})),
    ]


def _orders() -> list[Base]:
    ways: tuple[Mapping[str, Any], ...] = ({"dim": 0, "stable": True}, {"descending": True, "stable": True})
    return [
        Base("sort", torch.sort, _grid, ROWS, NUMBERS, ways, {"stable": True}),
        Base("argsort", torch.argsort, _grid, ROWS, NUMBERS, ways, {"stable": True}, has_gradient=False),
        Base("msort", torch.msort, _grid, ROWS, NUMBERS),
        Base("topk", torch.topk, lambda d, s: (d(s["m"], s["n"]), 1), ROWS, NUMBERS, ({"dim": 0}, {"largest": False})),
        Base("kthvalue", torch.kthvalue, lambda d, s: (d(s["m"], s["n"]), 1), ROWS, NUMBERS, ({"dim": 0},)),
        Base("median", torch.median, _grid, ROWS, NUMBERS),
        Base("unique", torch.unique, _grid, ROWS, NUMBERS, has_gradient=False),
        Base("nonzero", torch.nonzero, _grid, ROWS, ANY, has_gradient=False),
        Base(
            "searchsorted",
            lambda a, b: torch.searchsorted(a.sort()[0], b),
            _two,
            ROWS,
            FLOATS,
            ({"right": True},) * 0,
            has_gradient=False,
        ),
        Base("bincount", lambda x: torch.bincount(x.flatten().abs()), _grid, ROWS, (torch.int64,), has_gradient=False),
    ]


def _moves() -> list[Base]:
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

    sizes = {**ROWS, "k": 5}

    def pair(call: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *given, **more: call(list(given), **more)

    return [
        Base("index_select", torch.index_select, rows, sizes, ANY, has_out=True),
        Base("gather", torch.gather, within, ROWS, ANY, has_out=True),
        Base("take_along_dim", lambda x, dim, index: torch.take_along_dim(x, index, dim), within, ROWS, ANY),
        Base("index_add", torch.index_add, added, sizes, NUMBERS, ({"alpha": 2},), in_place="index_add_"),
        Base("scatter", torch.scatter, scattered, ROWS, ANY, in_place="scatter_"),
        Base("scatter_add", torch.scatter_add, scattered, ROWS, NUMBERS, in_place="scatter_add_"),
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
            ({"padding_idx": 0},),
        ),
        Base("masked_select", torch.masked_select, lambda d, s: (d(s["m"], s["n"]), d.mask(s["m"], s["n"])), ROWS, ANY),
        Base("cat", pair(torch.cat), _two, ROWS, ANY, ({"dim": 1},)),
        Base("stack", pair(torch.stack), _two, ROWS, ANY, ({"dim": 1}, {"dim": 2})),
        Base("cat_slices", lambda x: torch.cat([x[:, :1], x[:, -1:]], 1), _grid, ROWS, ANY),
        Base("stack_scalars", lambda x: torch.stack([x[0, 0], x[0, -1], x[-1, 0]]), _grid, ROWS, ANY),
        Base("flip", torch.flip, _grid, ROWS, ANY, ({"dims": (0, 1)},), {"dims": (1,)}),
        Base("roll", torch.roll, _grid, ROWS, ANY, ({"shifts": 1, "dims": 0},), {"shifts": 2, "dims": 1}),
        Base("tril", torch.tril, _grid, ROWS, ANY, ({"diagonal": 1},), in_place="tril_", has_out=True),
        Base("triu", torch.triu, _grid, ROWS, ANY, ({"diagonal": 1},), in_place="triu_", has_out=True),
        Base("repeat", lambda x, n=2: x.repeat(n, 1), _grid, ROWS, ANY, ({"n": 3},)),
        Base("repeat_interleave", torch.repeat_interleave, _grid, ROWS, ANY, ({"dim": 0},), {"repeats": 2}),
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
        Base("contiguous", lambda x: x.t().contiguous(), _grid, ROWS, ANY),
        Base("clone", lambda x: x.clone(), _grid, ROWS, ANY),
        Base("reshape", lambda x: x.t().reshape(-1), _grid, ROWS, ANY),
        Base("fill", lambda x, value=1: x.clone().fill_(value), _grid, ROWS, ANY, ({"value": 0},), has_gradient=False),
        Base("zero", lambda x: x.clone().zero_(), _grid, ROWS, ANY, has_gradient=False),
        Base("copy", lambda x, y: x.clone().copy_(y), _two, ROWS, ANY, in_place="copy_"),
        Base("setitem", lambda x, y: _set_rows(x, y), _two, ROWS, ANY, has_gradient=False),
        Base("slice", lambda x: x[1:, ::2].clone(), _grid, ROWS, ANY),
        Base("chunk", lambda x: [part.clone() for part in x.chunk(2, 1)], _grid, ROWS, ANY),
        Base("expand", lambda x: x.unsqueeze(1).expand(-1, 3, -1).clone(), _grid, ROWS, ANY),
        Base(
            "one_hot",
            lambda x, k=10: F.one_hot(x.abs() % k, k),
            _grid,
            ROWS,
            (torch.int64,),
            ({"k": 16},),
            has_gradient=False,
        ),
        Base("unfold", F.unfold, _image, IMAGE, FLOATS, ({"padding": 1}, {"stride": 2}), {"kernel_size": 2}),
        Base("pixel_shuffle", F.pixel_shuffle, _image, IMAGE, FLOATS, (), {"upscale_factor": 2}),
        Base("permute", lambda x: x.permute(0, 2, 3, 1).contiguous(), _image, IMAGE, ANY),
        Base(
            "arange_like",
            lambda x: torch.arange(x.shape[1], device=x.device, dtype=x.dtype),
            _grid,
            ROWS,
            (torch.float32, torch.int64),
            has_gradient=False,
        ),
        Base("conj_physical", torch.conj_physical, _grid, ROWS, COMPLEX),
        Base("view_as_real", lambda x: torch.view_as_real(x.resolve_conj()).clone(), _grid, ROWS, COMPLEX),
    ]


def _set_rows(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    x = x.clone()
    x[:, ::2] = y[:, ::2]
    x[0] = 1
    return x


def _products() -> list[Base]:
    inner = {"m": 4, "k": 6, "n": 5}
    batched = {"b": 3, **inner}
    types = (*FLOATS, torch.complex64)

    def mm(d: Draw, s: Sizes) -> tuple[Any, ...]:
        return d(s["m"], s["k"]), d(s["k"], s["n"])

    def bmm(d: Draw, s: Sizes) -> tuple[Any, ...]:
        return d(s["b"], s["m"], s["k"]), d(s["b"], s["k"], s["n"])

    scaled: tuple[Mapping[str, Any], ...] = ({"alpha": 2}, {"beta": 0.5}, {"beta": 0})
    return [
        Base("mm", torch.mm, mm, inner, types, has_out=True),
        Base(
            "matmul",
            torch.matmul,
            lambda d, s: (d(s["b"], s["m"], s["k"]), d(s["k"], s["n"])),
            batched,
            types,
            has_out=True,
        ),
        Base("bmm", torch.bmm, bmm, batched, types, has_out=True),
        Base(
            "addmm",
            torch.addmm,
            lambda d, s: (d(s["m"], s["n"]), *mm(d, s)),
            inner,
            FLOATS,
            scaled,
            in_place="addmm_",
            has_out=True,
        ),
        Base(
            "baddbmm",
            torch.baddbmm,
            lambda d, s: (d(s["b"], s["m"], s["n"]), *bmm(d, s)),
            batched,
            FLOATS,
            scaled,
            in_place="baddbmm_",
            has_out=True,
        ),
        Base(
            "addbmm",
            torch.addbmm,
            lambda d, s: (d(s["m"], s["n"]), *bmm(d, s)),
            batched,
            FLOATS,
            scaled,
            in_place="addbmm_",
        ),
        Base("mv", torch.mv, lambda d, s: (d(s["m"], s["k"]), d(s["k"])), {"m": 4, "k": 6}, FLOATS, has_out=True),
        Base(
            "addmv",
            torch.addmv,
            lambda d, s: (d(s["m"]), d(s["m"], s["k"]), d(s["k"])),
            {"m": 4, "k": 6},
            FLOATS,
            scaled,
            in_place="addmv_",
        ),
        Base("dot", torch.dot, lambda d, s: (d(s["n"]), d(s["n"])), {"n": 7}, FLOATS),
        Base("outer", torch.outer, lambda d, s: (d(s["m"]), d(s["n"])), ROWS, NUMBERS),
        Base("einsum", lambda a, b: torch.einsum("bmk,bkn->bnm", a, b), bmm, batched, FLOATS),
        Base("linear", F.linear, lambda d, s: (d(s["b"], s["k"]), d(s["n"], s["k"])), {"b": 4, "k": 6, "n": 5}, FLOATS),
        Base(
            "linear_bias",
            F.linear,
            lambda d, s: (d(s["b"], 2, s["k"]), d(s["n"], s["k"]), d(s["n"])),
            {"b": 4, "k": 6, "n": 5},
            FLOATS,
        ),
        Base(
            "solve",
            torch.linalg.solve,
            lambda d, s: (d(3, s["k"], s["k"]) + 4 * torch.eye(s["k"], dtype=d.dtype), d(3, s["k"], 2)),
            {"k": 4},
            (torch.float32,),
        ),
        Base(
            "cholesky",
            lambda x: torch.linalg.cholesky(x @ x.mT + 3 * torch.eye(x.shape[-1], device=x.device)),
            lambda d, s: (d(s["k"], s["k"]),),
            {"k": 4},
            (torch.float32,),
        ),
    ]


def _convolutions() -> list[Base]:
    sizes = {"b": 2, "c": 4, "o": 4, "h": 7, "w": 6}
    ways: tuple[Mapping[str, Any], ...] = ({"padding": 1}, {"stride": 2}, {"dilation": 2}, {"groups": 2})

    def flat(d: Draw, s: Sizes) -> tuple[Any, ...]:
        return d(s["b"], s["c"], s["h"], s["w"]), d(s["o"], s["c"], 3, 3), d(s["o"])

    def grouped(d: Draw, s: Sizes) -> tuple[Any, ...]:
        return d(s["b"], s["c"], s["h"], s["w"]), d(s["c"], 1, 3, 3), d(s["c"])

    return [
        Base("conv2d", F.conv2d, flat, sizes, FLOATS, ways[:3]),
        Base(
            "conv2d_pointwise",
            F.conv2d,
            lambda d, s: (d(s["b"], s["c"], s["h"], s["w"]), d(s["o"], s["c"], 1, 1)),
            sizes,
            FLOATS,
        ),
        Base(
            "conv2d_depthwise",
            lambda x, w, b, **more: F.conv2d(x, w, b, groups=x.shape[1], **more),
            grouped,
            sizes,
            FLOATS,
            ways[:1],
        ),
        Base(
            "conv1d",
            F.conv1d,
            lambda d, s: (d(s["b"], s["c"], s["w"]), d(s["o"], s["c"], 3), d(s["o"])),
            {"b": 2, "c": 4, "o": 4, "w": 8},
            FLOATS,
            ways[:3],
        ),
        Base(
            "conv3d",
            F.conv3d,
            lambda d, s: (d(s["b"], s["c"], 3, 4, s["w"]), d(s["o"], s["c"], 2, 2, 2)),
            {"b": 2, "c": 3, "o": 4, "w": 5},
            (torch.float32,),
            ways[:2],
        ),
        Base(
            "conv_transpose2d",
            F.conv_transpose2d,
            lambda d, s: (d(s["b"], s["c"], s["h"], s["w"]), d(s["c"], s["o"], 3, 3), d(s["o"])),
            {"b": 2, "c": 4, "o": 3, "h": 4, "w": 5},
            FLOATS,
            ({"stride": 2}, {"padding": 1}),
        ),
    ]


def _pools() -> list[Base]:
    padded: tuple[Mapping[str, Any], ...] = ({"stride": 1}, {"padding": 1}, {"ceil_mode": True})
    return [
        Base("max_pool2d", F.max_pool2d, _image, IMAGE, FLOATS, padded, {"kernel_size": 2}),
        Base(
            "avg_pool2d",
            F.avg_pool2d,
            _image,
            IMAGE,
            FLOATS,
            (*padded, {"padding": 1, "count_include_pad": False}),
            {"kernel_size": 2},
        ),
        Base(
            "adaptive_avg_pool2d",
            F.adaptive_avg_pool2d,
            _image,
            IMAGE,
            FLOATS,
            ({"output_size": 1},),
            {"output_size": 3},
        ),
        Base(
            "adaptive_max_pool2d",
            F.adaptive_max_pool2d,
            _image,
            IMAGE,
            FLOATS,
            ({"output_size": 1},),
            {"output_size": 3},
        ),
        Base(
            "interpolate_nearest", F.interpolate, _image, IMAGE, FLOATS, ({"scale_factor": 0.5},), {"scale_factor": 2.0}
        ),
        Base(
            "interpolate_bilinear",
            F.interpolate,
            _image,
            IMAGE,
            FLOATS,
            ({"align_corners": True},),
            {"scale_factor": 2.0, "mode": "bilinear"},
        ),
        Base(
            "grid_sample",
            lambda x, g, **more: F.grid_sample(x, g.tanh(), **{"align_corners": False, **more}),
            lambda d, s: (*_image(d, s), d(s["b"], 3, 4, 2)),
            IMAGE,
            (torch.float32,),
            ({"padding_mode": "border"}, {"mode": "nearest"}, {"align_corners": True}),
        ),
    ]


def _norms() -> list[Base]:
    def affine(d: Draw, s: Sizes) -> tuple[Any, ...]:
        return d(s["m"], s["n"]), (s["n"],), d(s["n"]), d(s["n"])

    def mixed(d: Draw, s: Sizes) -> tuple[Any, ...]:
        return d(s["m"], s["n"]), (s["n"],), d(s["n"]).float(), d(s["n"]).float()

    def running(d: Draw, s: Sizes) -> tuple[Any, ...]:
        return d(s["b"], s["c"], s["h"], s["w"]), d(s["c"]), d.positive(s["c"]), d(s["c"]), d(s["c"])

    softer: tuple[Mapping[str, Any], ...] = ({"dim": 0},)
    return [
        Base("layer_norm", F.layer_norm, affine, ROWS, FLOATS, ({"eps": 0.1},)),
        Base("layer_norm_mixed", F.layer_norm, mixed, ROWS, (torch.float16, torch.bfloat16)),
        Base("layer_norm_plain", lambda x: F.layer_norm(x, x.shape[-1:]), _grid, ROWS, FLOATS),
        Base(
            "rms_norm",
            F.rms_norm,
            lambda d, s: (d(s["m"], s["n"]), (s["n"],), d(s["n"])),
            ROWS,
            FLOATS,
            ({"eps": 0.1},),
        ),
        Base(
            "group_norm",
            F.group_norm,
            lambda d, s: (d(s["b"], s["c"], s["h"], s["w"]), 2, d(s["c"]), d(s["c"])),
            IMAGE,
            FLOATS,
            ({"eps": 0.1},),
        ),
        Base(
            "batch_norm",
            lambda *given, **more: F.batch_norm(given[0], given[1].clone(), given[2].clone(), *given[3:], **more),
            running,
            IMAGE,
            (torch.float32,),
            ({"training": True}, {"eps": 0.1}),
        ),
        Base("instance_norm", F.instance_norm, _image, IMAGE, (torch.float32,), ({"eps": 0.1},)),
        Base("softmax", F.softmax, _grid, ROWS, FLOATS, softer, {"dim": 1}),
        Base("softmax_wide", lambda x: F.softmax(x, 1, dtype=torch.float32), _grid, ROWS, (torch.float16,)),
        Base("log_softmax", F.log_softmax, _grid, ROWS, FLOATS, softer, {"dim": 1}),
        Base("normalize", F.normalize, _grid, ROWS, FLOATS, ({"dim": 0}, {"p": 1.0})),
        Base("cosine_similarity", F.cosine_similarity, _two, ROWS, FLOATS, ({"dim": 0},)),
        Base("dropout_eval", lambda x: F.dropout(x, 0.5, training=False), _grid, ROWS, FLOATS),
    ]


def _losses() -> list[Base]:
    def classes(d: Draw, s: Sizes) -> tuple[Any, ...]:
        return d(s["m"], s["n"]), d.index(s["n"], s["m"])

    reduced: tuple[Mapping[str, Any], ...] = ({"reduction": "sum"}, {"reduction": "none"})
    weighted = lambda x, y, w, **more: F.cross_entropy(x, y, w, **more)  # noqa: E731
    return [
        Base(
            "cross_entropy",
            F.cross_entropy,
            classes,
            ROWS,
            FLOATS,
            (*reduced, {"ignore_index": 0}, {"label_smoothing": 0.2}),
        ),
        Base(
            "cross_entropy_weighted",
            weighted,
            lambda d, s: (*classes(d, s), d.positive(s["n"])),
            ROWS,
            (torch.float32,),
            ({"ignore_index": 1},),
        ),
        Base(
            "nll_loss",
            lambda x, y, **more: F.nll_loss(F.log_softmax(x, 1), y, **more),
            classes,
            ROWS,
            FLOATS,
            (*reduced, {"ignore_index": 1}),
        ),
        Base("mse_loss", F.mse_loss, _two, ROWS, FLOATS, reduced),
        Base("l1_loss", F.l1_loss, _two, ROWS, FLOATS, reduced),
        Base("smooth_l1_loss", F.smooth_l1_loss, _two, ROWS, FLOATS, (*reduced, {"beta": 0.3})),
        Base("huber_loss", F.huber_loss, _two, ROWS, FLOATS, ({"delta": 0.3},)),
        Base(
            "bce_with_logits",
            lambda x, y, **more: F.binary_cross_entropy_with_logits(x, y.sigmoid(), **more),
            _two,
            ROWS,
            FLOATS,
            reduced,
        ),
        Base(
            "kl_div",
            lambda x, y, **more: F.kl_div(x.log_softmax(1), y.softmax(1), **{"reduction": "batchmean", **more}),
            _two,
            ROWS,
            FLOATS,
            ({"reduction": "sum"},),
        ),
        Base(
            "embedding_bag",
            lambda w, i, **more: F.embedding_bag(i, w, **{"mode": "sum", **more}),
            lambda d, s: (d(s["m"], s["n"]), d.index(s["m"], s["k"], 3)),
            {**ROWS, "k": 4},
            (torch.float32,),
            ({"mode": "mean"},),
        ),
        Base(
            "embedding_bag_offsets",
            lambda w, i, o, **more: F.embedding_bag(i, w, o, mode="sum", **more),
            lambda d, s: (d(s["m"], s["n"]), d.index(s["m"], 6), torch.tensor([0, 2, 6])),
            ROWS,
            (torch.float32,),
            ({"include_last_offset": True},),
        ),
    ]


def _attention() -> list[Base]:
    sizes = {"b": 2, "h": 2, "l": 9, "s": 9, "e": 8}

    def heads(d: Draw, s: Sizes) -> tuple[Any, ...]:
        return d(s["b"], s["h"], s["l"], s["e"]), d(s["b"], s["h"], s["s"], s["e"]), d(s["b"], s["h"], s["s"], s["e"])

    def wide(d: Draw, s: Sizes) -> tuple[Any, ...]:
        return heads(d, {**s, "e": 64})

    def masked(d: Draw, s: Sizes) -> tuple[Any, ...]:
        return (*heads(d, s), d(s["l"], s["s"]))

    ways: tuple[Mapping[str, Any], ...] = ({"is_causal": True}, {"scale": 0.7})
    call = F.scaled_dot_product_attention
    return [
        Base("attention", call, heads, sizes, FLOATS, ways),
        Base("attention_64", call, wide, {key: sizes[key] for key in "bhls"}, FLOATS, ways),
        Base("attention_masked", call, masked, sizes, FLOATS, ({"scale": 0.7},)),
        Base(
            "attention_one_query",
            call,
            lambda d, s: heads(d, {**s, "l": 1}),
            {key: sizes[key] for key in "bhse"},
            FLOATS,
            ways[1:],
        ),
    ]


def _others() -> list[Base]:
    def recurrent(d: Draw, s: Sizes) -> tuple[Any, ...]:
        gates = 4 * 5
        return d(s["l"], s["b"], 6), d(1, s["b"], 5), d(1, s["b"], 5), d(gates, 6), d(gates, 5), d(gates), d(gates)

    def lstm(x: torch.Tensor, h: torch.Tensor, c: torch.Tensor, *weights: torch.Tensor) -> Any:
        return torch.lstm(x, (h, c), list(weights), True, 1, 0.0, False, False, False)

    return [
        Base("lstm", lstm, recurrent, {"l": 3, "b": 2}, (torch.float32,)),
        Base("prelu", F.prelu, lambda d, s: (*_image(d, s), d(s["c"])), IMAGE, FLOATS),
        Base("fft", lambda x: torch.view_as_real(torch.fft.fft(x)), _grid, ROWS, (torch.float32,)),
        Base("cdist", torch.cdist, lambda d, s: (d(s["m"], 3), d(s["n"], 3)), ROWS, (torch.float32,), ({"p": 1.0},)),
        Base(
            "polar", torch.polar, lambda d, s: (d.positive(s["m"], s["n"]), d(s["m"], s["n"])), ROWS, (torch.float32,)
        ),
    ]


def _steps() -> list[Base]:
    """Optimizer steps, fused and by lists, and AMP's unscaling, as functions of their tensors."""
    from torchstone.ops.own import FUSED, OPTIMIZERS, take_steps, unscale

    def step(kind: Any, options: Mapping[str, Any]) -> Callable[..., Any]:
        return lambda *given, **more: take_steps(kind, {**options, **more}, *given)

    sizes = {"m": 3, "n": 4}
    given = lambda d, s: (d(s["m"], s["n"]), d(s["n"]), d(s["m"], s["n"]), d(s["n"]))  # noqa: E731
    found = []
    for name, kind, options in OPTIMIZERS:
        for way in ("foreach", "fused") if name in FUSED else ("foreach",):
            more: tuple[Mapping[str, Any], ...] = ({"maximize": True}, {"weight_decay": 0.3})
            found.append(
                Base(
                    f"{name} {way}",
                    step(kind, {**options, way: True}),
                    given,
                    sizes,
                    (torch.float32,),
                    more,
                    has_gradient=False,
                )
            )
    found.append(Base("unscale", lambda *values: unscale(*values), given, sizes, FLOATS, has_gradient=False))
    return found

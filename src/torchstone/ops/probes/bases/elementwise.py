"""Element by element: of one tensor, of two, of three."""

from collections.abc import Mapping
from typing import Any

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody calls it

from torchstone.ops.probes.bases.base import (
    ANY,
    COMPLEX,
    FLOATS,
    NUMBERS,
    ROWS,
    WHOLE,
    Arguments,
    Base,
    Sizes,
    grid,
    of_torch,
    over,
    positive_grid,
    two,
)
from torchstone.ops.probes.drawing import Draw


def unary() -> list[Base]:
    found = []
    smooth = "exp sin cos tanh sigmoid erf sinh atan expm1 exp2 neg abs square sign floor ceil round trunc frac"
    for name in smooth.split():
        dtypes = NUMBERS if name in ("neg", "abs", "square", "sign") else FLOATS
        dtypes = (*dtypes, *COMPLEX) if name in ("exp", "neg", "abs", "sin", "cos", "tanh") else dtypes
        found.append(_elementwise(name, grid, dtypes))
    for name in ["log", "sqrt", "rsqrt", "log1p", "log2", "log10", "reciprocal", "digamma", "lgamma"]:
        found.append(_elementwise(name, positive_grid, FLOATS))
    for name in ["relu"]:
        found.append(_elementwise(name, grid, NUMBERS))
    for name in ["isnan", "isinf", "isfinite", "logical_not"]:
        found.append(Base(name, of_torch(name), grid, ROWS, FLOATS, has_gradient=False))
    activations: dict[str, tuple[Mapping[str, Any], ...]] = {
        "gelu": ({"approximate": "tanh"},),
        "silu": (),
        "elu": ({"alpha": 0.3},),
        "mish": (),
        "hardswish": (),
        "leaky_relu": ({"negative_slope": 0.3},),
        "softplus": ({"beta": 2.0}, {"threshold": 0.5}),
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
        found.append(Base(name, getattr(F, name), grid, ROWS, FLOATS, options))
    found.append(
        Base("erfinv", torch.erfinv, lambda d, s: (d(s["m"], s["n"]) / 3,), ROWS, in_place="erfinv_", has_out=True)
    )
    clamps = ({"min": 0.5}, {"max": -0.25}, {"min": 0.0, "max": 1.0})
    found.append(Base("clamp", torch.clamp, grid, ROWS, NUMBERS, clamps, {"min": -1}, in_place="clamp_", has_out=True))
    found.append(
        Base(
            "nan_to_num",
            torch.nan_to_num,
            grid,
            ROWS,
            FLOATS,
            ({"nan": 3.0}, {"posinf": 5.0, "neginf": -4.0}),
            in_place="nan_to_num_",
        )
    )
    found.append(
        Base("bitwise_not", torch.bitwise_not, grid, ROWS, (*WHOLE, torch.bool), has_gradient=False, has_out=True)
    )
    found.append(Base("to_float", lambda x: x.to(torch.float32), grid, ROWS, ANY, has_gradient=False))
    found.append(
        Base("to_long", lambda x: x.to(torch.int64), grid, ROWS, (*FLOATS, torch.int32, torch.bool), has_gradient=False)
    )
    found.append(
        Base("to_half", lambda x: x.to(torch.float16), grid, ROWS, (torch.float32, torch.int64), has_gradient=False)
    )
    return found


def _elementwise(name: str, arguments: Arguments, dtypes: tuple[torch.dtype, ...]) -> Base:
    gradient = name not in ("sign", "floor", "ceil", "round", "trunc")
    method = f"{name}_" if hasattr(torch.Tensor, f"{name}_") else None
    has_out = name != "relu"
    return Base(name, of_torch(name), arguments, ROWS, dtypes, has_gradient=gradient, in_place=method, has_out=has_out)


def binary() -> list[Base]:
    found = []
    for name, options in (("add", ({"alpha": 2},)), ("sub", ({"alpha": 3},)), ("mul", ())):
        dtypes = (*NUMBERS, *COMPLEX)
        found.append(Base(name, of_torch(name), two, ROWS, dtypes, options, in_place=f"{name}_", has_out=True))
    for name in ["maximum", "minimum"]:
        found.append(Base(name, of_torch(name), two, ROWS, NUMBERS, has_out=True))
    for name in ["eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor"]:
        found.append(Base(name, of_torch(name), two, ROWS, ANY, has_gradient=False, has_out=True))
    for name in ["bitwise_and", "bitwise_or", "bitwise_xor"]:
        whole = (*WHOLE, torch.bool)
        found.append(
            Base(name, of_torch(name), two, ROWS, whole, has_gradient=False, in_place=f"{name}_", has_out=True)
        )
    for name in ["div", "atan2", "fmod", "remainder", "floor_divide", "hypot"]:
        roundings = ({"rounding_mode": "floor"}, {"rounding_mode": "trunc"}) if name == "div" else ()
        gradient = name != "floor_divide"
        kinds = NUMBERS if name in ("fmod", "remainder", "floor_divide") else FLOATS
        method = None if name == "hypot" else f"{name}_"
        found.append(
            Base(
                name,
                of_torch(name),
                over,
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
        Base("add_scalar", lambda x, alpha=1: torch.add(x, 3, alpha=alpha), grid, ROWS, NUMBERS, ({"alpha": 2},))
    )
    found.append(Base("add_big_scalar", lambda x: x + (2**33 + 1), grid, ROWS, (torch.int64,), has_gradient=False))
    found.append(Base("rsub", lambda x, other=1.0: other - x, grid, ROWS, FLOATS, ({"other": 0.99},)))
    found.append(Base("mul_scalar", lambda x, other=2: x * other, grid, ROWS, NUMBERS, ({"other": 3},)))
    mixed = lambda d, s: (d(s["m"], s["n"]), d(s["n"]).float())  # noqa: E731 - reads as data
    found.append(Base("add_mixed", torch.add, mixed, ROWS, NUMBERS))
    found.append(Base("mul_mixed", torch.mul, mixed, ROWS, NUMBERS))
    found.append(Base("add_broadcast", torch.add, lambda d, s: (d(s["m"], s["n"]), d(s["n"])), ROWS, NUMBERS))
    found.append(Base("mul_column", torch.mul, lambda d, s: (d(s["m"], s["n"]), d(s["m"], 1)), ROWS, NUMBERS))
    found.append(
        Base("nextafter", torch.nextafter, two, ROWS, (torch.float32, torch.bfloat16), has_gradient=False, has_out=True)
    )
    return found


def ternary() -> list[Base]:
    def three(d: Draw, s: Sizes) -> tuple[Any, ...]:
        return d(s["m"], s["n"]), d(s["m"], s["n"]), d.positive(s["m"], s["n"])

    found = [
        Base(name, of_torch(name), three, ROWS, FLOATS, ({"value": 0.3},), in_place=f"{name}_", has_out=True)
        for name in ("addcmul", "addcdiv")
    ]
    found.append(Base("lerp", torch.lerp, lambda d, s: (*two(d, s), 0.3), ROWS, FLOATS, in_place="lerp_", has_out=True))
    found.append(Base("where", torch.where, lambda d, s: (d.mask(s["m"], s["n"]), *two(d, s)), ROWS, ANY))
    filled = lambda d, s: (d(s["m"], s["n"]), d.mask(s["m"], s["n"]), 1)  # noqa: E731
    found.append(Base("masked_fill", torch.masked_fill, filled, ROWS, ANY, in_place="masked_fill_"))
    return found

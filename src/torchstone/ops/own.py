"""Operators that OpInfo has no samples of: fused and foreach optimizer steps, AMP's unscaling, attention's variants."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from torch.nn import functional

from torchstone.ops.operators import Operator, Sample

FLOATING = frozenset({torch.float32, torch.float64, torch.float16, torch.bfloat16})
OPTIMIZER_DTYPES = frozenset({torch.float32, torch.float64, torch.bfloat16, torch.float16})
SHAPES = ((7,), (3, 5), (2, 3, 4))
STEPS = 3
OPTIMIZERS: tuple[tuple[str, type[torch.optim.Optimizer], dict[str, Any]], ...] = (
    ("SGD", torch.optim.SGD, {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.01}),
    ("Adam", torch.optim.Adam, {"lr": 0.01, "weight_decay": 0.01, "amsgrad": True}),
    ("AdamW", torch.optim.AdamW, {"lr": 0.01}),
    ("Adagrad", torch.optim.Adagrad, {"lr": 0.05}),
    ("RMSprop", torch.optim.RMSprop, {"lr": 0.01, "momentum": 0.5}),
    ("NAdam", torch.optim.NAdam, {"lr": 0.01}),
)
FUSED = ("SGD", "Adam", "AdamW", "Adagrad")


def own_operators() -> tuple[Operator, ...]:
    """All of them."""
    return (*_optimizers(), *_unscaling(), *_attention(), *_clipping())


def _optimizers() -> Iterator[Operator]:
    for name, kind, options in OPTIMIZERS:
        for way in ("fused", "foreach"):
            if way == "fused" and name not in FUSED:
                continue
            aten = f"aten::_fused_{name.lower()}_" if way == "fused" else "aten::_foreach_add_"
            call = partial(take_steps, kind, {**options, way: True})
            yield Operator(f"optim.{name}", way, aten, call, _parameters, OPTIMIZER_DTYPES, source="torchstone")


def take_steps(kind: Callable[..., Any], options: dict[str, Any], *values: torch.Tensor) -> list[torch.Tensor]:
    """Some steps with gradients that are given; what the parameters are afterwards."""
    half = len(values) // 2
    parameters = [value.detach().clone().requires_grad_() for value in values[:half]]
    optimizer = kind(parameters, **options)
    for _ in range(STEPS):
        for parameter, gradient in zip(parameters, values[half:], strict=True):
            parameter.grad = gradient.to(parameter.dtype).clone()
        optimizer.step()
    return [parameter.detach() for parameter in parameters]


def _parameters(dtype: torch.dtype, _: bool) -> Iterator[Sample]:
    yield Sample(tuple(torch.randn(shape, dtype=dtype) for shape in (*SHAPES, *SHAPES)))
    yield Sample(tuple(torch.randn(1, dtype=dtype) for _ in range(2)))


def _unscaling() -> Iterator[Operator]:
    name = "_amp_foreach_non_finite_check_and_unscale_"
    dtypes = frozenset({torch.float32, torch.float16, torch.bfloat16})
    yield Operator("amp.unscale", "", f"aten::{name}", unscale, _scaled, dtypes, source="torchstone")
    update = "_amp_update_scale_"
    only = frozenset({torch.float32})
    yield Operator("amp.update_scale", "", f"aten::{update}", update_scale, _scales, only, source="torchstone")


def unscale(*values: torch.Tensor) -> list[torch.Tensor]:
    """Gradients divided by their scale, and whether one of them was infinite."""
    gradients = [value.clone() for value in values]
    found = torch.zeros(1, dtype=torch.float32, device=gradients[0].device)
    scale = torch.full((1,), 1 / 128, dtype=torch.float32, device=gradients[0].device)
    torch._amp_foreach_non_finite_check_and_unscale_(gradients, found, scale)
    return [*gradients, found]


def _scaled(dtype: torch.dtype, _: bool) -> Iterator[Sample]:
    yield Sample(tuple(torch.randn(shape, dtype=dtype) for shape in SHAPES))
    infinite = torch.randn(5, dtype=dtype)
    infinite[2] = torch.inf
    yield Sample((torch.randn(3, dtype=dtype), infinite))


def update_scale(scale: torch.Tensor, tracker: torch.Tensor, found: torch.Tensor) -> list[torch.Tensor]:
    """A gradient scaler's own update; its scale is float32 by definition."""
    kept, count = scale.float().clone(), tracker.clone()
    torch._amp_update_scale_(kept, count, found.float(), 2.0, 0.5, 4)
    return [kept, count]


def _scales(dtype: torch.dtype, _: bool) -> Iterator[Sample]:
    for found in (0.0, 1.0):
        for steps in (0, 3):
            count = torch.tensor([steps], dtype=torch.int32)
            yield Sample((torch.tensor([64.0], dtype=dtype), count, torch.tensor([found], dtype=dtype)))


def _attention() -> Iterator[Operator]:
    name, aten = "nn.functional.scaled_dot_product_attention", "aten::scaled_dot_product_attention"
    for variant, sampler in (("causal", _causal), ("masked", _masked), ("grouped", _grouped), ("one query", _query)):
        call = functional.scaled_dot_product_attention
        yield Operator(name, variant, aten, call, sampler, FLOATING, FLOATING, source="torchstone")


def _heads(dtype: torch.dtype, gradient: bool, queries: int, keys: int, heads: int = 2) -> tuple[torch.Tensor, ...]:
    shapes = ((2, heads, queries, 16), (2, 2, keys, 16), (2, 2, keys, 16))
    return tuple(torch.randn(shape, dtype=dtype).requires_grad_(gradient) for shape in shapes)


def _causal(dtype: torch.dtype, gradient: bool) -> Iterator[Sample]:
    for length in (1, 8, 33, 64):
        yield Sample(_heads(dtype, gradient, length, length), {"is_causal": True})


def _masked(dtype: torch.dtype, gradient: bool) -> Iterator[Sample]:
    for length in (7, 32):
        mask = torch.rand(length, length) > 0.3
        mask[:, 0] = True
        yield Sample(_heads(dtype, gradient, length, length), {"attn_mask": mask})
        added = torch.randn(length, length, dtype=dtype)
        yield Sample(_heads(dtype, gradient, length, length), {"attn_mask": added, "scale": 0.3})


def _grouped(dtype: torch.dtype, gradient: bool) -> Iterator[Sample]:
    yield Sample(_heads(dtype, gradient, 9, 12, heads=4), {"enable_gqa": True})


def _query(dtype: torch.dtype, gradient: bool) -> Iterator[Sample]:
    yield Sample(_heads(dtype, gradient, 1, 65))


def _clipping() -> Iterator[Operator]:
    aten = "aten::_foreach_norm"
    yield Operator("nn.utils.clip_grad_norm_", "", aten, clip, _parameters, FLOATING, source="torchstone")


def clip(*gradients: torch.Tensor) -> list[torch.Tensor]:
    """Gradients clipped to a norm, and the norm that they had."""
    parameters = [torch.zeros_like(gradient).requires_grad_() for gradient in gradients]
    for parameter, gradient in zip(parameters, gradients, strict=True):
        parameter.grad = gradient.clone()
    norm = torch.nn.utils.clip_grad_norm_(parameters, 1.0)
    return [norm, *(parameter.grad for parameter in parameters if parameter.grad is not None)]

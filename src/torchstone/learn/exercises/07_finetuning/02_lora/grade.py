"""Grades lora: the formula in float64, its gradients by autograd, merging back and forth, a nested model."""

import copy
import gc

import torch
from torch import Tensor, nn

from torchstone.learn.grading import (
    Answer,
    Draw,
    check,
    expect,
    expect_close,
    expect_peak_memory,
    format_bytes,
    guard,
    in_place,
    looks_like,
    raw,
    watch,
    watch_call,
)

PROMISES = {
    "None is in the model twice or wrapped already;": None,
    "LoRA leaves a trained matrix W alone and learns a correction of low rank beside it:": None,
    "`merge()` adds the correction to `base.weight`, so that the layer": "merging_changes_no_result",
    "The layer computes the same before and after.": "merging_changes_no_result",
    "the parameters' `requires_grad` stays as it is": "merging_changes_no_result",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

SIZES = [(1, 1, 1, True), (3, 2, 1, True), (2, 4, 3, False), (5, 6, 2, True)]
DTYPES = (torch.float32, torch.float64)
ALPHA = 5.0
FACTORS = "The two thin matrices are nn.Parameter attributes of the layer: self.down and self.up."


def expected_output(
    x: Tensor, weight: Tensor, bias: Tensor | None, down: Tensor, up: Tensor, scale: float | None = None
) -> Tensor:
    scale = ALPHA / down.shape[0] if scale is None else scale
    plain = nn.functional.linear(x.double(), weight.double(), None if bias is None else bias.double())
    return (plain + scale * x.double() @ (up.double() @ down.double()).mT).to(x.dtype)


def base_layer(draw: Draw, wide: int, tall: int, bias: bool) -> nn.Linear:
    base = nn.Linear(wide, tall, bias=bias)
    with torch.no_grad():
        for parameter in base.parameters():
            parameter.copy_(draw.normal(*parameter.shape).cpu())
    return base.to(draw.device, draw.dtype)


def fresh_layer(draw: Draw, answer: Answer, wide: int, tall: int, rank: int, bias: bool) -> tuple[nn.Module, nn.Linear]:
    """The learner's layer, and the linear layer that it was made of."""
    base = base_layer(draw, wide, tall, bias)
    kept = copy.deepcopy(base).cpu()
    layer = in_place(answer.LoRALinear, also=("flags",))(base, rank, ALPHA)
    for name, shape in (("down", (rank, wide)), ("up", (tall, rank))):
        found = getattr(layer, name, None)
        expect(isinstance(found, nn.Parameter), f"the layer has no parameter {name!r}", teach=FACTORS)
        expect(tuple(found.shape) == shape, f"{name} has the shape {list(found.shape)} and should have {list(shape)}")
        same = found.dtype == draw.dtype and found.device.type == draw.device.type
        expect(
            same,
            f"{name} is {found.dtype} on {found.device}; the base is {draw.dtype} on {draw.device}",
            teach="New parameters take after the base: base.weight.new_zeros(…) has its dtype and its device.",
        )
    return layer, kept


def trained_layer(draw: Draw, answer: Answer, wide: int, tall: int, rank: int, bias: bool) -> tuple[nn.Module, list]:
    """A layer as after some training, and copies of weight, bias, down and up."""
    layer, kept = fresh_layer(draw, answer, wide, tall, rank, bias)
    with torch.no_grad():
        layer.down.copy_(draw.normal(rank, wide))
        layer.up.copy_(draw.normal(tall, rank))
    factors = [layer.down.detach().cpu().clone(), layer.up.detach().cpu().clone()]
    return layer, [kept.weight.detach(), None if kept.bias is None else kept.bias.detach(), *factors]


@check("solved")
def starts_as_the_base_and_can_learn(answer: Answer, draw: Draw) -> None:
    for size in SIZES:
        for draw.dtype in DTYPES:
            layer, base = fresh_layer(draw, answer, *size[:3], size[3])
            x = draw.normal(3, size[0])
            expected = base(x.cpu()).detach()
            result = guard(layer)(x)
            teach = (
                "With both factors random the trained net is disturbed before it learns: one of them starts at zero."
            )
            expect_close(result, expected, what="the new layer's output", teach=teach, device=draw.device)
            expect(result.requires_grad, "the output of the new layer has no gradient: nothing in it can learn")
            gradients = torch.autograd.grad(result.sum(), [layer.down, layer.up], allow_unused=True)
            expect(
                any(gradient is not None and bool(gradient.any()) for gradient in gradients),
                "the gradients of down and up are both zero in the new layer",
                teach="Each factor's gradient is a product with the other one: if both are zero, they stay so forever.",
            )


@check("solved")
def correction_is_right(answer: Answer, draw: Draw) -> None:
    teach = f"y = W x + b + (alpha / rank) · up (down x), here with alpha = {ALPHA:g}."
    unscaled = looks_like(
        lambda *args: expected_output(*args, scale=1.0), "The correction is not scaled: it counts alpha / rank times."
    )
    only_alpha = looks_like(
        lambda *args: expected_output(*args, scale=ALPHA),
        "The scale is alpha / rank, so that a larger rank does not need another learning rate.",
    )
    for size in SIZES:
        for draw.dtype in DTYPES:
            for shape in ((1,), (3,), (2, 3)):
                layer, parts = trained_layer(draw, answer, *size)
                x = draw.normal(*shape, size[0])
                expect_close(
                    guard(layer)(x),
                    expected_output(x.cpu(), *parts),
                    what="the layer's output",
                    teach=teach,
                    diagnose=[unscaled, only_alpha],
                    device=draw.device,
                    args=(x.cpu(), *parts),
                )


@check("solved")
def gradients_are_right(answer: Answer, draw: Draw) -> None:
    for size in SIZES:
        layer, parts = trained_layer(draw, answer, *size)
        x = draw.normal(3, size[0])
        own = [x.clone().requires_grad_(), layer.down, layer.up]
        leaves = [leaf.requires_grad_() for leaf in (x.cpu().clone(), parts[2], parts[3])]
        expected = expected_output(leaves[0], parts[0], parts[1], leaves[1], leaves[2])
        direction = draw.normal(*expected.shape)
        result = guard(layer)(own[0])
        got = torch.autograd.grad((result * direction).sum(), own, allow_unused=True)
        wanted = torch.autograd.grad((expected * direction.cpu()).sum(), leaves)
        for name, mine, theirs in zip(("x", "down", "up"), got, wanted, strict=True):
            expect(mine is not None, f"{name} has no gradient", teach="Nothing on the way may be detached or .data.")
            expect_close(mine, theirs, what=f"the gradient in {name}")
        expect_only_factors_learn(layer, {"down", "up"})


@check("solved")
def merging_changes_no_result(answer: Answer, draw: Draw) -> None:
    for size in SIZES:
        layer, parts = trained_layer(draw, answer, *size)
        x = draw.normal(3, size[0])
        plain = parts[0]
        full = (plain.double() + ALPHA / size[2] * parts[3].double() @ parts[2].double()).float()
        expected = expected_output(x.cpu(), *parts)
        once = "Merging or unmerging again must do nothing: the layer has to know which state it is in."
        into = "merge puts W + (alpha / rank) · up down into base.weight, and unmerge takes it out."
        for step, weight, teach in (
            ("unmerge", plain, "A layer that was never merged has nothing to take out."),
            ("merge", full, into),
            ("merge", full, once),
            ("unmerge", plain, into),
            ("unmerge", plain, once),
            ("merge", full, into),
        ):
            getattr(layer, step)()
            expect_only_factors_learn(layer, {"down", "up"})
            expect_close(layer.base.weight, weight, what=f"base.weight after {step}()", teach=teach, atol=1e-4)
            twice = "What is in the weight already must not be added in forward() once more."
            result = guard(layer)(x)
            expect_close(result, expected, what=f"the output after {step}()", teach=twice, rtol=1e-3, atol=1e-4)


@check("solved")
def layers_are_apart(answer: Answer, draw: Draw) -> None:
    teach = "Each layer has its own scale, and knows of itself alone whether it is merged."
    x = draw.normal(3, 5)
    pairs = [trained_layer(draw, answer, 5, 4, rank, True) for rank in (1, 2)]
    for merged in range(3):  # none, the first, both
        for number, (layer, parts) in enumerate(pairs, 1):
            what = f"with {merged} of two layers merged, the output of layer {number}"
            expected = expected_output(x.cpu(), *parts)
            expect_close(guard(layer)(x), expected, what=what, teach=teach, device=draw.device, rtol=1e-3, atol=1e-4)
        pairs[min(merged, 1)][0].merge()


class Block(nn.Module):
    """Layers with the same names on several levels, one of them not linear."""

    def __init__(self, width: int, depth: int = 3) -> None:
        super().__init__()
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.LayerNorm(width)
        self.inner = nn.ModuleList([Block(width, depth - 1)] if depth else [])

    def forward(self, x: Tensor) -> Tensor:
        x = self.value(self.query(x) * self.key(x))
        return self.inner[0](x) if self.inner else x


@check("solved")
def model_is_wrapped(answer: Answer, draw: Draw) -> None:
    linear = {name: nn.Linear(4, 3) for name in ("value", "prequery", "base")}
    model = nn.ModuleDict({"block": Block(4), **linear}).to(draw.device)
    x = draw.normal(2, 4)
    expected = model["value"](model["block"](x)).detach().cpu()
    # One is called as the layer that a new one holds: who goes on into what was just put in never ends.
    in_place(answer.add_lora, also=("layers", "flags"))(model, ["query", "value", "base"], 2, ALPHA)
    kind = raw(answer.LoRALinear)
    wrapped = sorted(name for name, module in model.named_modules() if isinstance(module, kind))
    wanted = sorted([*("block." + depth * "inner.0." + "query" for depth in range(4)), "value", "base"])
    expect(
        wrapped == wanted,
        f"wrapped are {wrapped}, and should be {wanted}",
        teach="Go through every module's own children: names repeat on every level, and not all are linear.",
    )
    expect_only_factors_learn(model, {f"{name}.{factor}" for name in wanted for factor in ("down", "up")})
    result = model["value"](model["block"](x))
    expect_close(result, expected, what="the output of the wrapped model", teach="At the start nothing has changed.")


@check("lean")
def merged_layers_cost_no_more(answer: Answer, draw: Draw) -> None:
    width = 128
    with watch() as seen:
        layer, _ = trained_layer(draw, answer, width, width, 2, True)
        before = seen.live_bytes
        layer.merge()
        gc.collect()
        more = seen.live_bytes - before
    teach = "A merged layer is a plain one: the same ops, and no second matrix beside its weight."
    expect(more <= width * width, f"a merged layer keeps {format_bytes(more)} more than before", teach=teach)
    x = draw.normal(2, width)
    plain, merged = (watch_call(one, x).ops.total() for one in (layer.base, layer))
    expect(merged <= plain, f"a merged layer runs {merged} ops, and a plain one {plain}", teach=teach)


@check("lean")
def nothing_as_large_as_the_weight(answer: Answer, draw: Draw) -> None:
    width = 256
    layer, _ = trained_layer(draw, answer, width, width, 2, True)

    def forward_and_backward(x: Tensor) -> Tensor:
        result = layer(x)
        result.sum().backward()
        return result

    expect_peak_memory(
        guard(forward_and_backward, "a forward and backward pass"),
        draw.normal(4, width),
        at_most_bytes=width * width * 4 / 2,
        compared_with="half of W",
        teach="up @ down is a matrix as large as W: multiply x with the thin matrices, one after the other.",
    )


def expect_only_factors_learn(module: nn.Module, wanted: set[str]) -> None:
    learning = {name for name, parameter in module.named_parameters() if parameter.requires_grad}
    expect(
        learning == wanted,
        f"{sorted(learning)} require grad, and only {sorted(wanted)} should",
        teach="Only the two thin matrices learn: the base, its bias and the rest of the model are frozen.",
    )

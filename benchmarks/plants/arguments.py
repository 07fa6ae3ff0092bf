"""Faults that show off an argument's default: the device ignores it."""

from typing import Any

import torch
import torch.nn.functional as functional
from torch import Tensor

from plants.conditions import argument, differs_from
from plants.damages import drop, rerun
from plants.planting import ATTENTION, Plant, draw, plant, spoil
from torchstone.pretend import Call

IGNORED = -100


def count_ignored(call: Call) -> Any:
    """The class to ignore is not: it counts as class 0."""
    targets = call.args[1]
    ignored = argument(call, 4, IGNORED)
    return rerun(call, 1, torch.where(targets == ignored, 0, targets))


def some_ignored(call: Call) -> bool:
    """Some target is the one to ignore."""
    return bool((call.args[1] == argument(call, 4, IGNORED)).any())


def attend(device: str, **options: Any) -> Tensor:
    """Attention of three tensors."""
    query, key, value = (draw(device, 1, 2, 4, 8, seed=seed) for seed in range(3))
    return functional.scaled_dot_product_attention(query, key, value, **options)


def step_adam(device: str, found_inf: float) -> Tensor:
    """One step of fused Adam, told whether a gradient overflowed."""
    parameter, zeros = draw(device, 4), torch.zeros(4).to(device)
    torch._fused_adam_(
        [parameter], [draw(device, 4, seed=1)], [zeros], [zeros.clone()], [], [torch.ones(()).to(device)],
        lr=0.1, beta1=0.9, beta2=0.99, weight_decay=0.0, eps=1e-8, amsgrad=False, maximize=False,
        grad_scale=torch.ones(1).to(device), found_inf=torch.tensor([found_inf]).to(device),
    )  # fmt: skip
    return parameter


PLANTS: list[Plant] = [
    plant(
        "cross_entropy_ignore_index",
        "Q",
        "cross_entropy",
        "nll_loss_forward",
        "targets to be ignored count as class 0",
        spoil(count_ignored, some_ignored),
        lambda d: functional.cross_entropy(draw(d, 3, 5), torch.tensor([1, IGNORED, 2]).to(d)),
        lambda d: functional.cross_entropy(draw(d, 3, 5), torch.tensor([1, 0, 2]).to(d)),
    ),
    plant(
        "cross_entropy_weight",
        "Q",
        "cross_entropy",
        "nll_loss_forward",
        "the weights of the classes are ignored",
        spoil(drop(2, None), lambda call: argument(call, 2) is not None),
        lambda d: functional.cross_entropy(draw(d, 3, 5), torch.tensor([1, 0, 2]).to(d), draw(d, 5, seed=1).square()),
        lambda d: functional.cross_entropy(draw(d, 3, 5), torch.tensor([1, 0, 2]).to(d)),
    ),
    plant(
        "fused_adam_found_inf",
        "Q",
        "Adam",
        "_fused_adam_",
        "parameters are updated though a gradient overflowed",
        spoil(
            lambda call: rerun(call, "found_inf", None),
            lambda call: call.kwargs.get("found_inf") is not None and bool(call.kwargs["found_inf"].any()),
        ),
        lambda d: step_adam(d, 1.0),
        lambda d: step_adam(d, 0.0),
    ),
    plant(
        "attention_scale",
        "Q",
        "scaled_dot_product_attention",
        ATTENTION,
        "the scale is ignored",
        spoil(drop("scale", None), differs_from("scale", None)),
        lambda d: attend(d, scale=0.9),
        attend,
        fused_attention=True,
    ),
    plant(
        "add_alpha",
        "Q",
        "add",
        "add.Tensor add_.Tensor",
        "the factor `alpha` is ignored",
        spoil(drop("alpha", 1), differs_from("alpha", 1)),
        lambda d: torch.add(draw(d, 5), draw(d, 5, seed=1), alpha=3),
        lambda d: torch.add(draw(d, 5), draw(d, 5, seed=1)),
    ),
    plant(
        "avg_pool_include_pad",
        "Q",
        "avg_pool2d",
        "avg_pool2d",
        "the padding is counted though it must not be",
        spoil(drop(5, True), differs_from(5, True)),
        lambda d: functional.avg_pool2d(draw(d, 1, 2, 6, 6), 3, padding=1, count_include_pad=False),
        lambda d: functional.avg_pool2d(draw(d, 1, 2, 6, 6), 3, padding=1),
    ),
    plant(
        "div_rounding_mode",
        "Q",
        "div",
        "div.Tensor_mode",
        "rounding down becomes rounding to zero",
        spoil(drop("rounding_mode", "trunc"), lambda call: call.kwargs.get("rounding_mode") == "floor"),
        lambda d: torch.div(draw(d, 20) * 9, 2.0, rounding_mode="floor"),
        lambda d: torch.div(draw(d, 20) * 9, 2.0, rounding_mode="trunc"),
    ),
    plant(
        "std_correction",
        "Q",
        "std",
        "std.correction",
        "the correction is always 1",
        spoil(drop("correction", 1), differs_from("correction", 1)),
        lambda d: draw(d, 3, 5).std(1, correction=0),
        lambda d: draw(d, 3, 5).std(1),
    ),
    plant(
        "topk_smallest",
        "Q",
        "topk",
        "topk",
        "the smallest are asked for and the largest given",
        spoil(drop(3, True), differs_from(3, True)),
        lambda d: draw(d, 3, 9).topk(2, largest=False),
        lambda d: draw(d, 3, 9).topk(2),
    ),
]

"""Grades norms_modes: torch's own norms in float64 as the reference, in both modes; dropout by its distribution."""

import inspect
import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from torchstone.learn.grading import Answer, Draw, check, expect, expect_close, guard, raw, unheard

PROMISES = {
    "A module is training where its `training` says so, whether": "batch_norm_keeps_running_statistics",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

WORDS = ("batch_norm", "layer_norm", "rms_norm", "group_norm", "instance_norm", "dropout", "dropout_")
OPS = ("native_batch_norm", "native_layer_norm", "fused_rms_norm", "native_group_norm", "native_dropout")
FORBIDDEN = dict.fromkeys(
    (*WORDS, *OPS, "feature_dropout", "alpha_dropout"),
    "That is what you are writing: build it from means, roots and random numbers.",
)
SIZES = [(2, 1), (3, 2), (5, 4)]
SIGMAS = 6.0
Norm = Callable[[dict[str, Tensor], Tensor], Tensor]


def module_of(answer: Answer, draw: Draw, kind: str, features: int, **options: Any) -> nn.Module:
    """A module of the learner's with weights that are not 1 and biases that are not 0."""
    net = raw(getattr(answer, kind))(features, **options).to(draw.device)
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.copy_(draw.normal(*parameter.shape))
    return net


def batch(draw: Draw, *shape: int) -> Tensor:
    return draw.normal(*shape, scale=2.0) + draw.normal()


def exact_state(net: nn.Module) -> dict[str, Tensor]:
    return {name: value.detach().cpu().double().requires_grad_() for name, value in net.state_dict().items()}


def expect_values(net: nn.Module, reference: Norm, x: Tensor, teach: str) -> None:
    name = type(net).__name__
    with unheard():
        expected = reference(exact_state(net), x.cpu().double()).to(x.dtype)
    got = guard(net, name)(x)
    expect_close(got, expected, what=f"the result of {name}", device=x.device, teach=teach, rtol=1e-3, atol=1e-4)


def expect_gradients(net: nn.Module, reference: Norm, x: Tensor, teach: str) -> None:
    """In x and in every parameter, through a random direction."""
    with unheard():
        name, state, exact = type(net).__name__, exact_state(net), x.cpu().double().requires_grad_()
        direction = torch.randn(x.shape, dtype=torch.float64)
        wanted = {"x": exact, **{key: state[key] for key, _ in net.named_parameters()}}
        expected = torch.autograd.grad((reference(state, exact) * direction).sum(), list(wanted.values()))
    leaf = x.clone().requires_grad_()
    result = guard(net, name)(leaf)
    expect(result.requires_grad, f"the result of {name} has no gradient", teach=teach)
    total = (result * direction.to(result.dtype).to(x.device)).sum()
    got = torch.autograd.grad(total, [leaf, *net.parameters()], allow_unused=True)
    for key, mine, theirs in zip(wanted, got, expected, strict=True):
        expect(mine is not None, f"no gradient of {name} arrives at {key}", teach=teach)
        what = f"the gradient of {name} in {key}"
        expect_close(mine, theirs.to(x.dtype), what=what, teach=teach, rtol=2e-3, atol=1e-3)


def batch_statistics(eps: float) -> Norm:
    return lambda state, x: functional.batch_norm(x, None, None, state["weight"], state["bias"], True, 0.0, eps)


def running_statistics(eps: float) -> Norm:
    def norm(state: dict[str, Tensor], x: Tensor) -> Tensor:
        scaled = (x - state["running_mean"]) / (state["running_var"] + eps).sqrt()
        return scaled * state["weight"] + state["bias"]

    return norm


def layer_norm(eps: float) -> Norm:
    return lambda state, x: functional.layer_norm(x, x.shape[-1:], state["weight"], state["bias"], eps)


def rms_norm(eps: float) -> Norm:
    return lambda state, x: x / (x.square().mean(-1, keepdim=True) + eps).sqrt() * state["weight"]


@check("solved")
def batch_norm_in_training(answer: Answer, draw: Draw) -> None:
    teach = "Over the batch, with the biased variance (a mean of squares, n and not n − 1), eps inside the root."
    for n, features in SIZES:
        for eps in (1e-5, 0.5):
            net = module_of(answer, draw, "BatchNorm", features, eps=eps)
            for _ in range(2):  # the second batch: the running statistics must play no part
                expect_values(net, batch_statistics(eps), batch(draw, n, features), teach)


@check("solved")
def batch_norm_keeps_running_statistics(answer: Answer, draw: Draw) -> None:
    for n, features, momentum in ((2, 1, 0.1), (4, 3, 0.3)):
        net = module_of(answer, draw, "BatchNorm", features, momentum=momentum)
        mean, var = torch.zeros(features).double(), torch.ones(features).double()
        for _ in range(2):
            x = batch(draw, n, features).requires_grad_()
            guard(net, "BatchNorm")(x)
            exact = x.detach().cpu().double()
            mean = (1 - momentum) * mean + momentum * exact.mean(0)
            var = (1 - momentum) * var + momentum * exact.var(0, correction=1)
            teach = "running ← (1 − momentum) · running + momentum · new"
            expect_close(net.running_mean, mean.float(), what="running_mean", teach=f"{teach}.")
            unbiased = f"{teach}, where the new variance is the unbiased one, over n − 1."
            expect_close(net.running_var, var.float(), what="running_var", teach=unbiased)
        for name, buffer in net.named_buffers():
            kept = "A running statistic that requires a gradient keeps the graph of every batch so far: detach it."
            expect(not buffer.requires_grad, f"{name} requires a gradient", teach=kept)


@check("solved")
def batch_norm_in_evaluation(answer: Answer, draw: Draw) -> None:
    for n, features in [(1, 1), *SIZES]:
        net = module_of(answer, draw, "BatchNorm", features).eval()
        net.running_mean.copy_(draw.normal(features))
        net.running_var.copy_(draw.uniform(features, low=0.2, high=3.0))
        before = {name: value.clone() for name, value in net.named_buffers()}
        teach = "In evaluation the running statistics are used, so that a single row gives the same beside any others."
        expect_values(net, running_statistics(1e-5), batch(draw, n, features), teach)
        for name, value in net.named_buffers():
            same = torch.equal(value.cpu(), before[name].cpu())
            expect(
                same, f"{name} has changed in evaluation", teach="In evaluation nothing changes: look at self.training."
            )


@check("solved")
def batch_norm_gradients(answer: Answer, draw: Draw) -> None:
    teach = "Every x moves its batch's statistics too: the gradient flows through the mean and the variance as well."
    for n, features in ((3, 1), (5, 3)):
        net = module_of(answer, draw, "BatchNorm", features, eps=0.1)
        expect_gradients(net, batch_statistics(0.1), batch(draw, n, features), teach)
        expect_gradients(net.eval(), running_statistics(0.1), batch(draw, n, features), teach)


@check("solved")
def layer_norm_is_right(answer: Answer, draw: Draw) -> None:
    teach = "Over the features of each row, with the biased variance and eps inside the root."
    for shape in ((1, 2), (3, 2), (2, 3, 4)):
        for eps in (1e-5, 0.5):
            net = module_of(answer, draw, "LayerNorm", shape[-1], eps=eps)
            expect_values(net, layer_norm(eps), batch(draw, *shape), teach)
            expect_values(net.eval(), layer_norm(eps), batch(draw, *shape), teach)
    expect_gradients(module_of(answer, draw, "LayerNorm", 4, eps=0.1), layer_norm(0.1), batch(draw, 3, 4), teach)


@check("solved")
def rms_norm_is_right(answer: Answer, draw: Draw) -> None:
    teach = "x / √(mean of x² + eps) · weight: nothing is subtracted."
    for shape in ((1, 2), (3, 2), (2, 3, 4)):
        for eps in (1e-5, 0.5):
            net = module_of(answer, draw, "RMSNorm", shape[-1], eps=eps)
            expect_values(net, rms_norm(eps), batch(draw, *shape), teach)
    expect_gradients(module_of(answer, draw, "RMSNorm", 4, eps=0.1), rms_norm(0.1), batch(draw, 3, 4), teach)


@check("solved")
def dropout_in_evaluation_does_nothing(answer: Answer, draw: Draw) -> None:
    teach = "In evaluation dropout does nothing, whatever p is: look at self.training."
    for p in (0.5, 0.0, 1.0):
        net, x = raw(answer.Dropout)(p).eval(), draw.normal(4, 5)
        expect_close(guard(net, "Dropout")(x), x.cpu(), what=f"the result in evaluation, p = {p}", teach=teach)


@check("solved")
def dropout_keeps_the_mean(answer: Answer, draw: Draw) -> None:
    for p in (0.2, 0.7, 0.0, 1.0):
        net, x = raw(answer.Dropout)(p), draw.uniform(60, 50, low=0.5, high=2.0)
        result = guard(net, "Dropout")(x).cpu()
        expect(
            not result.isnan().any(), f"with p = {p} there is a NaN", teach="With p = 1 the result is 0 and not NaN."
        )
        kept = result != 0
        scaled = (x.cpu() / (1 - p if p < 1 else 1)) * kept
        teach = "What is kept is divided by 1 − p, so that the mean stays what it was; the rest is 0."
        expect_close(result, scaled, what=f"the result with p = {p}", teach=teach)
        expect_share(kept, p)
        if 0 < p < 1:
            other = guard(net, "Dropout")(x).cpu() != 0
            expect(not torch.equal(kept, other), "two calls drop the same elements", teach="Draw anew in each call.")
            leaf = x.clone().requires_grad_()
            result = guard(net, "Dropout")(leaf)
            (gradient,) = torch.autograd.grad(result.sum(), leaf)
            expect_close(gradient, (result / x).detach().cpu(), what="the gradient of Dropout", teach=teach)


def expect_share(kept: Tensor, p: float) -> None:
    """As many zeros as p says, within chance, and not by whole rows or columns."""
    teach = "Each element is dropped with probability p, element by element, independently of all others."
    got, near = 1 - kept.double().mean().item(), SIGMAS * math.sqrt(p * (1 - p) / kept.numel())
    expect(abs(got - p) <= near, f"{got:.0%} of the elements are 0, and p is {p}", teach=teach)
    for axis, name in enumerate(("columns", "rows")):
        mixed = (kept.any(axis) & ~kept.all(axis)).double().mean().item()
        expect(mixed > 0.5 or p in (0, 1), f"whole {name} are dropped or kept together", teach=teach)


@check("solved")
def defaults_stay(answer: Answer, draw: Draw) -> None:
    wanted = {"BatchNorm": (0.1, 1e-5), "LayerNorm": (1e-5,), "RMSNorm": (1e-5,), "Dropout": (0.5,)}
    for kind, defaults in wanted.items():
        parameters = inspect.signature(raw(getattr(answer, kind))).parameters.values()
        found = tuple(one.default for one in parameters if one.default is not one.empty)
        expect(
            found == defaults, f"{kind} has the defaults {found}, not {defaults}", teach="Keep those of the starter."
        )


@check("solved")
def many_rows_and_extreme_momenta(answer: Answer, draw: Draw) -> None:
    teach = "running ← (1 − momentum) · running + momentum · new, for any momentum and any number of rows"
    for n, momentum in ((2, 0.0), (3, 1.0), (1_500, 0.5)):
        net, x = module_of(answer, draw, "BatchNorm", 2, momentum=momentum), batch(draw, n, 2)
        exact = x.cpu().double()
        guard(net, "BatchNorm")(x)
        var = (1 - momentum) + momentum * exact.var(0, correction=1)
        expect_close(net.running_mean, (momentum * exact.mean(0)).float(), what="running_mean", teach=f"{teach}.")
        expect_close(net.running_var, var.float(), what=f"running_var after {n} rows", teach=f"{teach}.")


@check("solved")
def far_off_rows_keep_their_spread(answer: Answer, draw: Draw) -> None:
    """A mean of 1,000 and a spread of 1: the mean of squares minus the square of the mean has lost it in float32."""
    teach = "Take the mean away first, and then square: two large squares cancel, and leave nothing of the spread."
    for kind, norm in (("BatchNorm", batch_statistics), ("LayerNorm", layer_norm)):
        net = module_of(answer, draw, kind, 32, eps=1e-5)
        x = draw.normal(32, 32) + 1000
        expected = norm(1e-5)(exact_state(net), x.cpu().double()).float()
        got = guard(net, kind)(x)
        expect_close(got, expected, what=f"the result of {kind} far from 0", teach=teach, rtol=5e-3, atol=5e-3)


@check("solved")
def gradients_off_is_no_evaluation(answer: Answer, draw: Draw) -> None:
    teach = "self.training decides, not whether gradients are recorded: no_grad is not eval()."
    net, x = module_of(answer, draw, "BatchNorm", 2), batch(draw, 4, 2)
    exact = x.cpu().double()
    expected = batch_statistics(1e-5)(exact_state(net), exact).float().detach()
    for recorded in (False, True):
        net.running_mean.zero_()
        net.running_var.fill_(1)
        with torch.set_grad_enabled(recorded):
            got = guard(net.train(), "BatchNorm")(x)
        what = f"the result in training with gradients {'on' if recorded else 'off'}"
        expect_close(got.detach(), expected, what=what, teach=teach, rtol=1e-3, atol=1e-4)
        mean, var = 0.1 * exact.mean(0), 0.9 + 0.1 * exact.var(0, correction=1)
        expect_close(net.running_mean, mean.float(), what="running_mean with gradients off", teach=teach)
        expect_close(net.running_var, var.float(), what="running_var with gradients off", teach=teach)
    wide = draw.uniform(40, 40, low=0.5, high=2.0)
    with torch.no_grad():
        dropped = guard(raw(answer.Dropout)(0.5), "Dropout")(wide)
    expect(bool((dropped == 0).any()), "with gradients off nothing is dropped in training", teach=teach)


@check("solved")
def rows_of_any_shape(answer: Answer, draw: Draw) -> None:
    teach = "(…, features): one row alone, rows in rows, no rows at all; the features are the last axis."
    for kind, norm in (("LayerNorm", layer_norm), ("RMSNorm", rms_norm)):
        for shape in ((3,), (0, 2), (2, 1), (2, 1, 2, 3)):
            net = module_of(answer, draw, kind, shape[-1], eps=0.1)
            expect_values(net, norm(0.1), batch(draw, *shape), teach)


@check("solved")
def far_values_count_in_full(answer: Answer, draw: Draw) -> None:
    """Large and tiny rows, where a bound that is far out, or another eps, would show."""
    teach = "Nothing is held within bounds: the formula holds for large numbers and for tiny ones."
    for scale in (1e6, 1e-4):
        x = draw.normal(6, 3, scale=scale)
        for kind, norm in (("BatchNorm", batch_statistics), ("LayerNorm", layer_norm), ("RMSNorm", rms_norm)):
            expect_values(module_of(answer, draw, kind, 3, eps=1e-10), norm(1e-10), x, teach)
        net = module_of(answer, draw, "BatchNorm", 3, momentum=0.5)
        guard(net, "BatchNorm")(x)
        exact = x.cpu().double()
        expected = (0.5 + 0.5 * exact.var(0, correction=1)).float()
        expect_close(net.running_var, expected, what=f"running_var for rows of size {scale:g}", teach=teach)
        expect_values(net.eval(), running_statistics(1e-5), x, teach)
        dropped = guard(raw(answer.Dropout)(0.5), "Dropout")(x).cpu()
        expect_close(dropped, x.cpu() * 2 * (dropped != 0), what=f"Dropout of numbers of size {scale:g}", teach=teach)


@check("solved")
def float64_stays_float64(answer: Answer, draw: Draw) -> None:
    draw = draw.on(torch.device("cpu"))
    teach = "In float64 everything is computed in float64: no number takes a way through float32."
    x = draw.normal(5, 4).double() + 1
    kinds = {"BatchNorm": batch_statistics, "LayerNorm": layer_norm, "RMSNorm": rms_norm}
    for kind, norm in kinds.items():
        net = module_of(answer, draw, kind, 4).double()
        expected = norm(1e-5)(exact_state(net), x)
        got = guard(net, kind)(x)
        expect_close(got, expected, what=f"the result of {kind} in float64", teach=teach, rtol=1e-10, atol=1e-12)
    for name, value in module_of(answer, draw, "BatchNorm", 4).double().state_dict().items():
        expect(value.dtype == torch.float64, f"{name} is {value.dtype} after double()", teach=teach)
    for training in (True, False):
        got = guard(raw(answer.Dropout)(0.5).train(training), "Dropout")(x)
        factor = 2 if training else 1
        expect_close(got, x * factor * (got != 0), what="Dropout in float64", teach=teach, rtol=1e-12, atol=0)


@check("solved")
def elements_drop_independently(answer: Answer, draw: Draw) -> None:
    """Whether one element is kept says nothing about any other: rows and columns, near and far."""
    kept = (guard(raw(answer.Dropout)(0.5), "Dropout")(draw.uniform(64, 48, low=1.0, high=2.0)) != 0).cpu()
    signs = kept.double() * 2 - 1
    teach = "Each element is dropped with probability p, element by element, independently of all others."
    # A sum of as many signs as a row (or a column) has: six standard errors, and √(2 log 4000) for the many pairs.
    for axis, name in enumerate(("rows", "columns")):
        lines = signs if axis == 0 else signs.T
        alike = (lines @ lines.T / lines.shape[1]).abs().fill_diagonal_(0)
        expect(alike.max().item() < 0.97, f"two {name} are dropped alike, or one where the other is kept", teach=teach)

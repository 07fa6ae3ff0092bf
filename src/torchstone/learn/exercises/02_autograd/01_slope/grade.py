"""Grades slope: the gradients of a small function with weights, then what a call leaves behind."""

import functools

import torch
from torch import Tensor, nn

from torchstone.learn.grading import (
    Answer,
    Draw,
    check,
    expect,
    expect_close,
    expect_no_trace,
    expect_same,
    fail,
    looks_like,
    show,
)

PROMISES = {
    "The slope itself may have a graph or none.": None,
    "the `.grad` of `x`, and of the weights inside `function` (a module": "weights_of_plain_functions_stay",
    "`function` uses `x`, though perhaps not every element of it": "gradients_are_right",
    "`slope(function, x)` returns the gradient of `function` at `x`: a": "gradients_are_right",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

SHAPES = [(), (1,), (3,), (2, 3)]
ADDED = "backward() adds to .grad; torch.autograd.grad returns the gradient and stores nothing."


class Hill(nn.Module):
    """A curved function of `x` with two weights; a module, so that grading can copy it to another device."""

    def __init__(self, steep: Tensor, wide: Tensor) -> None:
        super().__init__()
        self.steep, self.wide = nn.Parameter(steep), nn.Parameter(wide)

    def forward(self, x: Tensor) -> Tensor:
        return (self.steep * x).sin().sum() + self.wide * x.square().mean()

    def __repr__(self) -> str:
        return "x ↦ Σ sin(steep · x) + wide · mean(x²)"


def reference(function: Hill, x: Tensor) -> Tensor:
    return function.steep.detach() * (function.steep.detach() * x).cos() + function.wide.detach() * 2 * x / x.numel()


def hill_and_point(draw: Draw, *shape: int) -> tuple[Hill, Tensor]:
    return Hill(draw.normal(*shape), draw.normal()), draw.normal(*shape)


@check("solved")
def gradients_are_right(answer: Answer, draw: Draw) -> None:
    uphill = looks_like(
        lambda function, x: x - reference(function, x), "That is a step down the slope; the task asks for the slope."
    )
    teach = "Element i of the result is d function(x) / d x[i], exact to the last few digits."
    for case in draw.cases(hill_and_point, SHAPES):
        expect_same(answer.slope, reference, *case, diagnose=[uphill], teach=teach)
    for case in draw.cases(hill_and_point, [(2, 3)], dtypes=(torch.float64,), layouts=("strided",)):
        expect_same(answer.slope, reference, *case, diagnose=[uphill], teach=teach)
    # A plain function, of one element that it does not even use.
    gradient = answer.slope(lambda x: (x[:2] ** 3).sum(), draw.place(torch.tensor([1.0, -2.0, 5.0])))
    expect_close(gradient, torch.tensor([3.0, 12.0, 0.0]), what="the slope of x[0]³ + x[1]³", teach=teach)


@check("solved")
def no_trace_is_left(answer: Answer, draw: Draw) -> None:
    expect_no_trace(answer.slope, *hill_and_point(draw, 3))


@check("solved")
def grads_of_x_stay(answer: Answer, draw: Draw) -> None:
    for before in (None, draw.normal(3)):
        function, x = hill_and_point(draw, 3)
        x.requires_grad_().grad = None if before is None else before.clone()
        answer.slope(function, x)
        expect_untouched(x, before, "x.grad", ADDED)


@check("solved")
def grads_of_weights_stay(answer: Answer, draw: Draw) -> None:
    for before in (None, draw.normal(3)):
        function, x = hill_and_point(draw, 3)
        function.steep.grad = None if before is None else before.clone()
        answer.slope(function, x)
        expect_untouched(function.steep, before, "the .grad of a weight inside the function", ADDED)
        expect_untouched(function.wide, None, "the .grad of a weight inside the function", ADDED)
        weights = all(weight.requires_grad for weight in function.parameters())
        expect(weights, "a weight of the function no longer requires a gradient", teach="Leave the weights alone.")


def weigh(weight: Tensor, x: Tensor) -> Tensor:
    return (weight * x).sin().sum()


@check("solved")
def x_stays_what_it_was(answer: Answer, draw: Draw) -> None:
    own_leaf = "x.detach() is a leaf of your own on the same memory: ask that one to require a gradient."
    function, x = hill_and_point(draw, 2)
    answer.slope(function, x)
    expect(not x.requires_grad, "x did not require a gradient before the call and does now", teach=own_leaf)
    answer.slope(function, x.requires_grad_())
    expect(x.requires_grad, "x required a gradient before the call and does not now", teach=own_leaf)
    computed = x * 2
    gradient = answer.slope(function, computed)
    expect(computed.grad_fn is not None, "x was the result of a computation, and its graph is gone", teach=own_leaf)
    expected = reference(function.cpu(), computed.detach().cpu())
    expect_close(gradient, expected, what="the slope at an x that was computed", teach=own_leaf)
    expect_untouched(x, None, "the .grad of the tensor that x was computed from", ADDED)


@check("solved")
def weights_of_plain_functions_stay(answer: Answer, draw: Draw) -> None:
    """Nobody can list the weights that a closure, a method or a partial uses."""
    for before in (None, draw.normal(3)):
        weight, x = draw.normal(3).requires_grad_(), draw.normal(3)
        weight.grad = None if before is None else before.clone()
        computed = weight.exp()
        functions = (
            lambda x, weight=weight: (weight * x).sin().sum(),
            functools.partial(weigh, weight),
            {"weight": weight, "f": lambda x, weight=weight: weigh(weight, x)}["f"],
            lambda x, computed=computed: weigh(computed, x),
        )
        for function in functions:
            factor = computed if function is functions[-1] else weight
            expected = (factor * (factor * x).cos()).detach().cpu()
            got = answer.slope(function, x)
            expect_close(got, expected, what="the slope of x ↦ Σ sin(weight · x)", teach=ADDED)
            expect_untouched(weight, before, "the .grad of a weight that a plain function uses", ADDED)
        try:
            computed.sum().backward()
        except RuntimeError:
            teach = "The weights' own graph was used up; torch.autograd.grad goes back from the result to x alone."
            fail("a loss of the same weights cannot go backward any more", teach=teach)


@check("solved")
def old_grads_do_not_matter(answer: Answer, draw: Draw) -> None:
    """Large and infinite ones: what is added to them and taken away again is rounded, or NaN."""
    teach = "The slope has nothing to do with what stands in .grad: never add to it, not even for a moment."
    for old in (1e30, 1e5, torch.inf, torch.nan):
        function, x = hill_and_point(draw, 3)
        expected = reference(function, x).cpu()
        for tensor in (x.requires_grad_(), function.steep, function.wide):
            tensor.grad = torch.full_like(tensor, old)
        got = answer.slope(function, x)
        expect_close(got, expected.detach(), what=f"the slope where every .grad is {old:g}", teach=teach)


@check("solved")
def steep_slopes_are_right(answer: Answer, draw: Draw) -> None:
    x = draw.place(torch.tensor([1.0, -2.0, 3.0]))
    for factor in (1e12, 1e-20):
        teach = "A slope may be as steep or as flat as it likes: nothing is cut off."
        got = answer.slope(lambda x, factor=factor: (x * x * factor).sum(), x)
        expected = (2 * factor * x).cpu()
        expect_close(got, expected, what=f"the slope of {factor:g} · Σ x²", teach=teach, rtol=1e-4, atol=0)
    got = answer.slope(lambda x: x.abs().sqrt().sum() + x.sqrt().sum(), draw.place(torch.tensor([0.25, 1.0])))
    expect_close(got, torch.tensor([2.0, 1.0]), what="the slope of 2 Σ √x")
    got = answer.slope(lambda x: x.sqrt().sum(), draw.place(torch.tensor([0.0, 1.0])))
    expect(got[0].item() == float("inf"), "the slope of √x at 0 is infinite", teach="Hand it on as it is.")


def expect_untouched(tensor: Tensor, before: Tensor | None, what: str, teach: str) -> None:
    now = tensor.grad
    if before is None:
        expect(now is None, f"{what} was None before the call and is a tensor now", teach=teach)
        return
    expect(now is not None, f"{what} was a tensor before the call and is None now", teach="It was not yours to clear.")
    text = f"{' '.join(show('before', before).lines)} before the call and is {' '.join(show('now', now).lines)} now"
    expect(torch.equal(now.cpu(), before.cpu()), f"{what} was {text}", teach=teach)

"""Grades stop_here: values, the gradient of every argument, and what is left of the caller's graph."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from torchstone.learn.grading import Answer, Draw, check, expect, expect_close, expect_no_trace, expect_same, fail

PROMISES = {
    "The three tensors have one shape, any shape.": "target_is_constant",
    "Sometimes a number should be used and not be blamed.": None,
    "The three functions have the right values already, and gradients": None,
    "Rounding is a staircase, flat almost everywhere, so its gradient": None,
    "`scale` may be changed in place before the backward pass, as running averages are.": "scale_is_constant",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

SIZES = [1, 2, 5]
DTYPES = (torch.float32, torch.float64)


def transition(draw: Draw, *shape: int) -> tuple[Tensor, Tensor, Tensor, float]:
    far = 1000.0 if shape == (5,) else 1.0
    return draw.normal(*shape), draw.normal(*shape, scale=far), draw.normal(*shape), draw.choice([0.5, 0.9, 0.0])


def numbers(draw: Draw, n: int) -> Tensor:
    values = draw.normal(2, n, scale=3.0)
    # Halves too: round() takes them to the even neighbour.
    values[1] = draw.place(torch.tensor([draw.choice([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5]) for _ in range(n)]))
    return values


def rows_and_scale(draw: Draw, n: int) -> tuple[Tensor, Tensor]:
    scale = draw.uniform(n, low=0.5, high=3.0)
    if n > 2:  # any scale but 0
        scale[0], scale[1] = -scale[0], scale[1] * 1e-5
    return draw.normal(2, n), scale


@check("solved")
def target_is_constant(answer: Answer, draw: Draw) -> None:
    def loss(value: Tensor, reward: Tensor, next_value: Tensor, discount: float) -> Tensor:
        return (value - (reward + discount * next_value)).square().sum() / value.numel()

    for case in draw.cases(transition, [(1,), (2,), (5,), (), (3, 2), (2, 1, 4)]):
        expect_same(answer.td_loss, loss, *case, teach="The mean of the squared distance to the target.")
        value, reward, next_value = (tensor.cpu().double() for tensor in case[:3])
        discount = case[3]
        expected = 2 * (value - reward - discount * next_value) / value.numel()
        gradients = gradients_of(answer.td_loss, case)
        blocked = "No gradient reaches value: the guess is blocked, and the target is what should be."
        expect(gradients[0] is not None, "value gets no gradient", teach=blocked)
        what = "the gradient of td_loss in value"
        expect_close(gradients[0], expected.to(case[0].dtype), what=what, teach="2 (value − target) / n.")
        for name, gradient in zip(("reward", "next_value"), gradients[1:], strict=True):
            teach = "That pulls the target towards the guess: all of the target is a constant, not a part of it."
            expect_no_gradient(gradient, name, teach)


@check("solved")
def rounding_lets_gradients_through(answer: Answer, draw: Draw) -> None:
    flat = "round() is flat between two steps and its gradient is 0: add a constant that makes x into round(x)."
    for x in draw.cases(numbers, SIZES, dtypes=DTYPES, layouts=("strided",)):
        expect_same(answer.round_through, torch.round, x, teach="The values stay those of x.round().")
        direction = draw.normal(*x.shape, dtype=x.dtype)
        (gradient,) = gradients_of(answer.round_through, (x,), direction)
        expect(
            gradient is not None, "the result has a graph, but does not depend on it: x gets no gradient", teach=flat
        )
        expect_close(gradient, direction.cpu(), what="the gradient that arrives at x", teach=flat)


@check("solved")
def scale_is_constant(answer: Answer, draw: Draw) -> None:
    for x, scale in draw.cases(rows_and_scale, SIZES):
        expect_same(answer.rescale, torch.div, x, scale, teach="x / scale.")
        direction = draw.normal(*x.shape, dtype=x.dtype)
        expected = (direction / scale).cpu()
        in_x, in_scale = gradients_of(answer.rescale, (x, scale), direction)
        expect(in_x is not None, "x gets no gradient", teach="Only the scale counts as a constant.")
        expect_close(in_x, expected, what="the gradient of rescale in x", teach="1 / scale for each element.")
        expect_no_gradient(in_scale, "scale", "The scale should get no gradient: divide by a detached one.")
        expect_notices_changes(answer.rescale, x, scale, direction, expected)


@check("solved")
def small_scales_are_scales(answer: Answer, draw: Draw) -> None:
    teach = "1 / scale is beyond float16 there, and x / scale is not: divide by the scale."
    tiny = draw.place(torch.tensor([1e-5, -1e-5, 3e-6]), torch.float16)
    for scale in (tiny, tiny[0]):
        x, direction = (draw.uniform(2, 3, low=0.5, high=2).to(torch.float16) * tiny for _ in range(2))
        expect_same(answer.rescale, torch.div, x, scale, teach=teach)
        (in_x, _) = gradients_of(answer.rescale, (x, scale), direction)
        expect(in_x is not None, "x gets no gradient", teach="Only the scale counts as a constant.")
        expect_close(in_x, (direction / scale).cpu(), what="the gradient of rescale in x, in float16", teach=teach)


@check("solved")
def numbers_are_not_rounded(answer: Answer, draw: Draw) -> None:
    """float64 keeps its digits, and what no whole-number dtype holds is rounded all the same."""
    teach = "In the dtype of the arguments, with all of its digits."
    exact = {"rtol": 1e-12, "atol": 1e-12}
    for case in draw.cases(transition, [(3,), (2, 2)], dtypes=(torch.float64,)):
        by_hand = lambda v, r, n, discount: (v - (r + discount * n)).square().mean()  # noqa: E731
        expect_same(answer.td_loss, by_hand, *case, teach=teach, **exact)
    for case in draw.cases(rows_and_scale, SIZES, dtypes=(torch.float64,)):
        expect_same(answer.rescale, torch.div, *case, teach=teach, **exact)
    far = draw.place(torch.tensor([3e9, -3e9, 5e18, 1e20, -1e30, 8388609.0, 4194304.5, -4194303.5, 0.0]))
    teach = "x.round() stands any finite number: a way through whole numbers ends at theirs."
    expect_same(answer.round_through, torch.round, far, teach=teach, rtol=0, atol=0)
    direction = draw.normal(*far.shape)
    (gradient,) = gradients_of(answer.round_through, (far,), direction)
    expect(gradient is not None, "x gets no gradient", teach="As if nothing had been rounded.")
    expect_close(gradient, direction.cpu(), what="the gradient that arrives at large x")


@check("solved")
def scales_of_every_shape(answer: Answer, draw: Draw) -> None:
    x = draw.normal(3, 2)
    for shape in ((), (1,), (3, 1), (3, 2)):
        scale = draw.uniform(*shape, low=0.5, high=3.0)
        direction = draw.normal(3, 2)
        expect_same(answer.rescale, torch.div, x, scale, teach="x / scale.")
        in_x, in_scale = gradients_of(answer.rescale, (x, scale), direction)
        expect(in_x is not None, "x gets no gradient", teach="Only the scale counts as a constant.")
        expected = (direction / scale).cpu()
        expect_close(in_x, expected, what="the gradient of rescale in x", teach="1 / scale for each element.")
        expect_no_gradient(in_scale, "scale", "The scale should get no gradient: divide by a detached one.")
        expect_notices_changes(answer.rescale, x, scale, direction, expected)


@check("solved")
def the_callers_graph_stays_whole(answer: Answer, draw: Draw) -> None:
    expect_no_trace(answer.td_loss, *transition(draw, 3))
    expect_no_trace(answer.round_through, numbers(draw, 3))
    expect_no_trace(answer.rescale, *rows_and_scale(draw, 3))


def expect_notices_changes(function: Any, x: Tensor, scale: Tensor, direction: Tensor, expected: Tensor) -> None:
    """A change in place between forward and backward: a right gradient and a refusal are both fine."""
    leaf, running = x.clone().requires_grad_(), scale.clone()
    result = function(leaf, running)
    running.mul_(2)
    try:
        (gradient,) = torch.autograd.grad((result * direction).sum(), leaf)
    except RuntimeError:
        return
    expect_close(
        gradient,
        expected,
        what="after scale.mul_(2) before the backward pass, the gradient in x",
        teach="`.data` has a version counter of its own and hides the change from autograd; detach() does not.",
    )


def gradients_of(
    function: Callable[..., Tensor], args: Sequence[Any], direction: Tensor | None = None
) -> tuple[Tensor | None, ...]:
    """What arrives at each tensor in `args`, which are results of a computation that must stay whole."""
    roots = [arg.clone().requires_grad_() for arg in args if isinstance(arg, Tensor)]
    computed = [root * 1 for root in roots]
    result = function(*computed, *args[len(roots) :])
    name = getattr(function, "__name__", "the function")
    if not result.requires_grad:
        fail(
            f"the result of {name} has no gradient at all: its requires_grad is False",
            teach="Inside no_grad() nothing is recorded: keep only the constant part in there.",
        )
    for arg in computed:
        if arg.grad_fn is None:
            fail(
                f"{name} cut an argument out of the caller's graph",
                teach="detach_() and requires_grad_(False) change the tensor itself; detach() gives you a new tensor.",
            )
    # Not grad_outputs=direction: torch imports sympy for it, which takes longer than all of the grading.
    beside = torch.zeros_like(result, requires_grad=True)
    total = result + beside if direction is None else ((result + beside) * direction).sum()
    *gradients, given = torch.autograd.grad(total, [*roots, beside], allow_unused=True)
    expected = torch.ones_like(given) if direction is None else direction
    what, teach = f"the gradient of z in {name}(…) + z", "backward may not change the gradient that it is given."
    expect_close(given, expected.cpu(), what=what, teach=teach)
    return tuple(gradients)


def expect_no_gradient(gradient: Tensor | None, name: str, teach: str) -> None:
    largest = 0.0 if gradient is None else float(gradient.abs().max())
    expect(largest == 0, f"a gradient of up to {largest:.4g} arrives at {name}, where none should", teach=teach)

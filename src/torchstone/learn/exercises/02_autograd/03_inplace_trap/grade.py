"""Grades inplace_trap: values and gradients of both functions against formulas without anything in place."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

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
)

PROMISES = {
    "Autograd writes the count down when it saves a tensor": None,
    "Not every operation in place is wrong: only those on a tensor that autograd has saved.": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

SHAPES = [(1,), (3,)]
DTYPES = (torch.float32, torch.float64)
STOPPED = "modified by an inplace operation"
SILENT = "The error is gone and the gradient is wrong, so silence is no cure: autograd could not see the change."


def gated(x: Tensor, skip: Tensor) -> Tensor:
    return x / (1 + (-x).exp()) + skip


def averaged(signal: Tensor, keep: Tensor) -> Tensor:
    """Every state a tensor of its own."""
    states = [(1 - keep[0]) * signal[0]]
    for one, kept in zip(signal[1:], keep[1:], strict=True):
        states.append(kept * states[-1] + (1 - kept) * one)
    return torch.stack(states)


def averaged_at_once(signal: Tensor, keep: Tensor) -> Tensor:
    """The same where nothing is forgotten, and many times as fast: what is left of each step at each later one."""
    kept = keep.log().cumsum(0)
    left = (kept[:, None] - kept[None]).exp() * torch.ones(len(keep), len(keep)).tril()[:, :, None]
    return (left * ((1 - keep) * signal)[None]).sum(1)


def two_alike(draw: Draw, *shape: int) -> tuple[Tensor, Tensor]:
    return draw.normal(*shape, scale=2.0), draw.normal(*shape)


def signal_and_keep(draw: Draw, *shape: int) -> tuple[Tensor, Tensor]:
    return draw.normal(*shape), draw.uniform(*shape, low=0.1, high=0.9)


def all_or_nothing(draw: Draw, *shape: int) -> tuple[Tensor, Tensor]:
    """A state that is kept whole, forgotten at once, or nearly so, over many steps."""
    signal, keep = signal_and_keep(draw, *shape)
    keep[draw.integer(0, shape[0] - 1)] = 0.0
    keep[draw.integer(0, shape[0] - 1)] = 1.0
    return signal, keep * draw.choice([1.0, 0.01])


def long_memory(draw: Draw, *shape: int) -> tuple[Tensor, Tensor]:
    """Nearly everything is kept: the first step is still there at the last."""
    return draw.normal(*shape), draw.uniform(*shape, low=0.995, high=0.9999)


def far_apart(draw: Draw) -> tuple[Tensor, Tensor]:
    """Where a sigmoid is flat, and where it is not."""
    return draw.place(torch.tensor([-90.0, -20.0, -1.0, 0.0, 1.0, 20.0, 90.0])), draw.normal(7)


@check("solved")
def gate_values_are_right(answer: Answer, draw: Draw) -> None:
    for case in draw.cases(two_alike, [(1,), (2, 3)], dtypes=DTYPES, layouts=("strided",)):
        expect_same(answer.gated_sum, gated, *case, teach="The values stay x · sigmoid(x) + skip.")
    teach = "The values stay x · sigmoid(x) + skip, far out too."
    for x, skip in draw.cases(lambda draw, _: far_apart(draw), [0], dtypes=(torch.float64,)):
        expect_same(answer.gated_sum, gated, x, skip * 0, teach=teach, atol=1e-60)


@check("solved")
def smooth_values_are_right(answer: Answer, draw: Draw) -> None:
    shifted = looks_like(
        lambda signal, keep: torch.cat([torch.zeros_like(signal[:1]), averaged(signal, keep)[:-1]]),
        "Row t of the result is the state after step t, not before it.",
    )
    teach = "state = keep[t] · state + (1 − keep[t]) · signal[t], and row t of the result is that state."
    for case in draw.cases(signal_and_keep, [(1, 1), (2, 1), (3, 2)], dtypes=DTYPES, layouts=("strided",)):
        expect_same(answer.smooth, averaged, *case, diagnose=[shifted], teach=teach)
    for case in draw.cases(all_or_nothing, [(3, 2), (40, 2)], repeats=3):
        expect_same(answer.smooth, averaged, *case, teach=teach + " keep may be 0 or 1: never divide by it.")


@check("solved")
def gate_gradients_are_right(answer: Answer, draw: Draw) -> None:
    half = looks_like(lambda gradient, x: gradient * x.sigmoid(), "In x · sigmoid(x) both factors depend on x.")
    for case in draw.cases(two_alike, SHAPES):
        teach = "sigmoid saved its result for the backward pass; give the product memory of its own."
        expect_gradients(answer.gated_sum, gated, case, ("x", "skip"), teach, half)
    expect_gradients(answer.gated_sum, gated, far_apart(draw), ("x", "skip"), teach, half)


@check("solved")
def smooth_gradients_are_right(answer: Answer, draw: Draw) -> None:
    for case in draw.cases(signal_and_keep, [(1, 1), (2, 1), (4, 3)]):
        teach = (
            "The product saved a row, and a write to any row changes the tensor it looks into: make each state anew."
        )
        expect_gradients(answer.smooth, averaged, case, ("signal", "keep"), teach)
    for case in draw.cases(all_or_nothing, [(3, 2), (12, 2)]):
        expect_gradients(answer.smooth, averaged, case, ("signal", "keep"), "keep may be 0 or 1: never divide by it.")
    signal, keep = signal_and_keep(draw, 5, 2)
    teach = "keep is used as it is, also below 0 and above 1."
    expect_gradients(answer.smooth, averaged, (signal, keep * 3 - 1), ("signal", "keep"), teach)
    teach = "A step reaches all later rows, however many: nothing is cut off on the way back."
    expect_gradients(answer.smooth, averaged_at_once, long_memory(draw, 300, 1), ("signal", "keep"), teach)


def expect_gradients(
    function: Any,
    reference: Callable[..., Tensor],
    case: tuple[Tensor, Tensor],
    names: tuple[str, str],
    teach: str,
    half: Any = None,
) -> None:
    """Gradients through a random direction; the version counter's error is told apart from a wrong gradient."""
    exact = [tensor.cpu().double().requires_grad_() for tensor in case]
    direction = torch.randn(case[0].shape, dtype=torch.float64)
    expected = torch.autograd.grad((reference(*exact) * direction).sum(), exact)
    leaves = [tensor.clone().requires_grad_() for tensor in case]
    result = function(*leaves)
    expect(result.requires_grad, "the result has no gradient: its requires_grad is False", teach=SILENT)
    weighted = direction.to(case[0].dtype).to(result.device)
    try:
        got = torch.autograd.grad((result * weighted).sum(), leaves, allow_unused=True)
    except RuntimeError as error:
        if STOPPED not in str(error):
            raise
        versions = str(error).split("], which is ")[-1].split(". Hint")[0]
        fail(f"a tensor that autograd had saved has been {STOPPED}: it is {versions}", teach=teach)
    for name, mine, theirs in zip(names, got, expected, strict=True):
        expect(mine is not None, f"no gradient arrives at {name}", teach=SILENT)
        earlier = "A step reaches all later rows through the state: earlier states must not be cut off."
        expect_close(
            mine,
            theirs.to(case[0].dtype),
            what=f"the gradient in {name}",
            teach=SILENT if half is not None else earlier,
            diagnose=[half] if half is not None else [],
            args=(weighted.cpu(), case[0].cpu()),
        )


@check("solved")
def arguments_are_left_alone(answer: Answer, draw: Draw) -> None:
    """Whoever calls: without a graph, with one for a single argument, and where nothing is recorded at all."""
    jobs = ((answer.gated_sum, gated, two_alike), (answer.smooth, averaged, signal_and_keep))
    for function, formula, make in jobs:
        expect_no_trace(function, *make(draw, 3, 2))
        for size in ((1, 1), (4, 3)):
            for mode in (torch.no_grad, torch.inference_mode):
                with mode():
                    expect_same(
                        function, formula, *make(draw, *size), teach="Without gradients the values are the same."
                    )
            for number in range(2):
                case = make(draw, *size)
                case[number].requires_grad_()
                got = function(*case)
                shared = any(got.untyped_storage().data_ptr() == one.untyped_storage().data_ptr() for one in case)
                expect(not shared, "the result lies in the memory of an argument", teach="Give it memory of its own.")
                exact = [one.detach().cpu().double() for one in case]
                exact[number].requires_grad_()
                (wanted,) = torch.autograd.grad(formula(*exact).square().sum(), exact[number])
                (found,) = torch.autograd.grad(got.square().sum(), case[number], allow_unused=True)
                expect(found is not None, "no gradient arrives where only one argument asks for it", teach=SILENT)
                what = "the gradient where only one argument asks for it"
                expect_close(found, wanted.to(found.dtype), what=what, teach=SILENT)


@check("solved")
def later_steps_do_not_reach_back(answer: Answer, draw: Draw) -> None:
    """NaN at one step and in one feature: it stays there, and in what comes after it."""
    teach = "Row t is made of the steps up to t and of its own feature alone: a matrix with zeros spreads NaN, 0 · NaN."
    for size in ((5, 3), (22, 2)):
        signal, keep = signal_and_keep(draw, *size)
        signal[3, 1] = torch.nan
        expect_same(answer.smooth, averaged, signal, keep, teach=teach)
    x, skip = two_alike(draw, 4)
    skip[1] = torch.nan
    expect_same(answer.gated_sum, gated, x, skip, teach="Each element by itself.")


@check("solved")
def digits_are_kept(answer: Answer, draw: Draw) -> None:
    teach = "In the dtype of the arguments, with all of its digits."
    for function, formula, make in ((answer.gated_sum, gated, two_alike), (answer.smooth, averaged, signal_and_keep)):
        for case in draw.cases(make, [(6, 2)], dtypes=(torch.float64,)):
            expect_same(function, formula, *case, teach=teach, rtol=1e-12, atol=1e-13)
            leaves = [one.clone().requires_grad_() for one in case]
            wanted = torch.autograd.grad(formula(*leaves).square().sum(), leaves)
            found = torch.autograd.grad(function(*leaves).square().sum(), leaves)
            expect_close(
                list(found), [one.cpu() for one in wanted], what="the float64 gradients", rtol=1e-10, atol=1e-11
            )

"""Grades function: the formula in float64 as the reference, through two derivatives; bytes between the passes."""

from collections.abc import Callable

import torch
from torch import Tensor

from torchstone.learn.grading import (
    Answer,
    Draw,
    check,
    expect,
    expect_same,
    expect_same_gradients,
    fail,
    format_bytes,
    guard,
    note,
    raw,
    watch,
)

PROMISES = {
    "`gated(a, b) = a · sigmoid(a) · b`, element by": None,
    "Written with torch's operations, `silu(a) * b`, autograd keeps a": None,
    "`a` and `b` have the same shape and the same floating dtype.": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

SIZES = [(1,), (3,), (), (2, 5), (4, 1, 3), (0,)]
DTYPES = (torch.float32, torch.float64)
SLACK_BYTES = 64
"""The sum itself."""
FAR = "a may be far from 0: exp(200) is inf in float32, and nothing is cut off."
FIRST = "With s = sigmoid(a): g · b · s · (1 + a · (1 − s)) for a, and g · a · s for b."


def reference(a: Tensor, b: Tensor) -> Tensor:
    return (a.double() * torch.sigmoid(a.double()) * b.double()).to(a.dtype)


def pair(draw: Draw, *shape: int) -> tuple[Tensor, Tensor]:
    return draw.normal(*shape, scale=2), draw.normal(*shape, scale=2)


def far_apart(draw: Draw) -> tuple[Tensor, Tensor]:
    return draw.place(torch.tensor([-200.0, -30.0, 0.0, 30.0, 200.0])), draw.normal(5)


def slopes(function: object, a: Tensor, b: Tensor, g: Tensor) -> tuple[Tensor, ...]:
    """Both first gradients, as functions that can be derived once more."""
    a, b = (t if t.requires_grad else t.detach().requires_grad_() for t in (a, b))
    found = torch.autograd.grad(function(a, b), (a, b), g, create_graph=True, allow_unused=True)
    for name, one in zip("ab", found, strict=True):
        if one is None:
            fail(f"the gradient of {name} is None", teach=FIRST)
        if not one.requires_grad:
            fail(
                f"the gradient of {name} has no gradient itself",
                teach="The backward must be differentiable: no once_differentiable, no_grad or detach in it.",
            )
    return found


@check("solved")
def values_are_right(answer: Answer, draw: Draw) -> None:
    halves = draw.cases(pair, [(3,), (2, 5)], dtypes=(torch.float16, torch.bfloat16), repeats=1)
    for case in [*draw.cases(pair, SIZES, dtypes=DTYPES, layouts=("contiguous", "transposed")), *halves]:
        result = expect_same(answer.gated, reference, *case, teach="a · sigmoid(a) · b")
        expect(result is not case[0] and result is not case[1], "gated returned one of its arguments")
    a, b = far_apart(draw)
    expect_same(answer.gated, reference, a, b, teach=FAR)


@check("solved")
def gradients_are_right(answer: Answer, draw: Draw) -> None:
    for case in draw.cases(pair, SIZES, dtypes=DTYPES, layouts=("contiguous", "transposed")):
        expect_same_gradients(answer.gated, reference, *case, teach=FIRST)
        expect_same_gradients(answer.gated, reference, *case, wrt=(0,), teach=FIRST)
        expect_same_gradients(answer.gated, reference, *case, wrt=(1,), teach=FIRST)
    expect_same_gradients(answer.gated, reference, *far_apart(draw), teach=FAR)
    a, b = pair(draw, 5)
    nothing = "The gradients come from a and b alone: a quotient of the result has none where one of them is 0."
    for zeros in ((a, b * 0), (a * 0, b), (a * 0, b * 0)):
        expect_same_gradients(answer.gated, reference, *zeros, teach=nothing)


@check("solved")
def second_gradients_are_right(answer: Answer, draw: Draw) -> None:
    gated = raw(answer.gated)
    teach = (
        "The second gradient goes through backward's own operations: no once_differentiable, and nothing saved that "
        "was computed in forward, because autograd takes it for a constant."
    )
    for a, b in draw.cases(pair, [(1,), (3,), (2, 5)], dtypes=DTYPES):
        expect_same_gradients(
            guard(lambda a, b, g: slopes(gated, a, b, g), "gated's gradient"),
            lambda a, b, g: slopes(reference, a, b, g),
            a,
            b,
            draw.place(torch.randn(a.shape), a.dtype),
            teach=teach,
            rtol=1e-3 if a.dtype == torch.float32 else None,
            atol=1e-4 if a.dtype == torch.float32 else None,
        )


@check("solved")
def changes_in_place_are_noticed(answer: Answer, draw: Draw) -> None:
    gated = raw(answer.gated)
    for changed in "ab":
        a, b = (tensor.requires_grad_() for tensor in pair(draw, 3))
        result = gated(a, b)
        with torch.no_grad():
            (a if changed == "a" else b).mul_(2)
        try:
            result.sum().backward()
        except RuntimeError as error:
            if "inplace" not in str(error):
                raise
            continue
        fail(
            f"{changed} was changed in place after forward, and backward used the new numbers without a word",
            teach="ctx.save_for_backward remembers a tensor's version and refuses a changed one; ctx.a = a does not.",
        )


@check("lean")
def only_the_result_lives_on(answer: Answer, draw: Draw) -> None:
    gated = raw(answer.gated)
    gated(*(tensor.requires_grad_() for tensor in pair(draw, 16, 16)))
    layouts = ("contiguous", "strided", "transposed")
    cases = [*draw.cases(pair, [(16, 16)], dtypes=(*DTYPES, torch.float16), layouts=layouts, repeats=1)]
    cases += [tuple(tensor.expand(16, 16) for tensor in pair(draw, 16, 1)), pair(draw, 200, 300)]
    for a, b in cases:
        for learning in ((a, b), (a,), (b,)):
            live, left = live_bytes(gated, a, b, learning)
            size = a.numel() * a.element_size()
            expect(
                live <= size,
                f"with {a.dtype} of strides {a.stride()}, between forward and backward {format_bytes(live)} live on; "
                f"the result alone has {format_bytes(size)}",
                teach="Save the arguments, which live anyway, and compute the rest again in backward.",
            )
            expect(
                left <= SLACK_BYTES,
                f"with {a.dtype}, once only the sum of the result is held, {format_bytes(left)} live on",
                teach="The backward needs a and b, which live anyway; who saves the result keeps it alive for nothing.",
            )
    note(f"{format_bytes(live)} live on, those of the result")


def live_bytes(
    gated: Callable[[Tensor, Tensor], Tensor], a: Tensor, b: Tensor, learning: tuple[Tensor, ...]
) -> tuple[int, int]:
    """What lives after forward, and what is left when the caller goes on with a sum alone."""
    a, b = (one.detach().requires_grad_(any(one is other for other in learning)) for one in (a, b))
    with watch() as seen:
        result = gated(a, b)
        live = seen.live_bytes
        total = result.sum()
        del result
        left = seen.live_bytes
    del total
    return live, left

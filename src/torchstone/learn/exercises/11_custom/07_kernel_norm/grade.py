"""Grades kernel_norm: the formula in float64 as the reference; a kernel of our own, a row a program, for the time."""

from collections.abc import Callable

import torch
from torch import Tensor

from torchstone.learn.grading import (
    Answer,
    Draw,
    check,
    expect,
    expect_close,
    expect_fast,
    expect_same,
    expect_same_gradients,
    looks_like,
    raw,
    watch,
)
from torchstone.learn.grading.kernels import watch_kernels

seen = watch_kernels()

import triton  # noqa: E402 - the interpreter must have been chosen
import triton.language as tl  # noqa: E402

PROMISES = {
    "In torch that is five kernels, each of which reads and writes the whole of x.": None,
    "Load as float32 (`.to(tl.float32)`): the square of 300 is beyond": "half_precision_is_enough",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

KERNEL = "The kernels are to do the arithmetic: on the host only make results, launch, and add up parts with sum(0)."
FORBIDDEN = dict.fromkeys(
    ("rms_norm", "layer_norm", "mul", "div", "rsqrt", "sqrt", "mean", "pow", "square", "norm", "einsum", "numpy", "mm"),
    KERNEL,
)
MANY_ROWS = 130
"""More than anyone starts programs for the sum over rows."""
SIZES = [(1, 1), (1, 2), (2, 3), (5, 4), (2, 33)]
LAYOUTS = ("transposed", "strided")
FORWARD = "y = x · r · weight with r = 1 / √(mean of x² + eps), the mean over the d numbers of the row."
BACKWARD = "r · (g · weight − h · mean of (g · weight · h)) for x and Σ g · h over all rows for weight, with h = x · r."
HALF = torch.float16
Case = tuple[Tensor, Tensor, float]


def reference(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    x64 = x.double()
    r = (x64.square().mean(-1, keepdim=True) + eps).rsqrt()
    return (x64 * r * weight.double()).to(x.dtype)


def arguments(draw: Draw, n: int, d: int) -> Case:
    return draw.normal(n, d), draw.uniform(d, low=0.5, high=2), draw.choice([1e-6, 0.5])


def padded_mean(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    block = 1 << (x.shape[-1] - 1).bit_length()
    return (x * (x.square().sum(-1, keepdim=True) / block + eps).rsqrt() * weight).to(x.dtype)


KNOWN = [
    looks_like(padded_mean, "The sum is divided by the length of the block; the row has only d numbers."),
    looks_like(lambda x, w, e: reference(x, torch.ones_like(w), e), "The weight is missing."),
]


@check("solved")
def rows_are_normed(answer: Answer, draw: Draw) -> None:
    x, weight, eps = arguments(draw, 2, 3)
    seen.expect_launched("rms_norm", lambda: answer.rms_norm(x, weight, eps))
    cases = [*draw.cases(arguments, SIZES), *draw.cases(arguments, [(2, 3)], layouts=LAYOUTS)]
    for case in cases:
        expect_same(answer.rms_norm, reference, *case, teach=FORWARD, diagnose=KNOWN)
        seen.expect_inside()
    expect_same(answer.rms_norm, reference, *arguments(draw, 1, 1100), teach=FORWARD)
    x, weight, _ = arguments(draw, 1, 5)
    for small, eps in ((1e-4, 1e-12), (0.0, 1e-6)):
        expect_same(answer.rms_norm, reference, x * small, weight, eps, teach="eps is added below the root, as it is.")
    usual = "Without a word eps is 1e-6."
    expect_same(answer.rms_norm, lambda x, weight: reference(x, weight, 1e-6), x * 1e-3, weight, teach=usual)


@check("solved")
def gradients_are_right(answer: Answer, draw: Draw) -> None:
    cases = [
        *draw.cases(arguments, [*SIZES, (MANY_ROWS, 2), (1, 70)], repeats=1),
        *draw.cases(arguments, [(2, 3)], layouts=LAYOUTS, repeats=1),
    ]
    for case in cases:
        expect_same_gradients(answer.rms_norm, reference, *case, wrt=(0, 1), teach=BACKWARD, rtol=1e-3, atol=1e-4)
        seen.expect_inside()


@check("solved")
def half_precision_is_enough(answer: Answer, draw: Draw) -> None:
    for x, weight, eps in draw.cases(arguments, [(2, 3), (2, 20)], dtypes=(torch.float16,)):
        for factor in (1, 300):
            teach = "The square of 300 is beyond float16, and so is a long sum: load as float32, store as what x is."
            expect_same(answer.rms_norm, reference, x * factor, weight, eps, teach=teach, rtol=1e-2, atol=4e-3)
            expect_same_gradients(
                answer.rms_norm, reference, x * factor, weight, eps, wrt=(0, 1), teach=teach, rtol=2e-2, atol=2e-2
            )
    for scales in ((300, 300, 300), (1, 0.05, 1e-5)):
        expect_half_gradients(answer, draw, *scales)
    seen.expect_inside()


def expect_half_gradients(answer: Answer, draw: Draw, of_weight: float, of_gradient: float, of_x: float) -> None:
    """The gradients are numbers that float16 holds; what stands between may be beyond it: g · weight, or r."""
    x, weight, _ = arguments(draw, 2, 20)
    direction = draw.place(draw.normal(2, 20).cpu() * of_gradient, HALF)
    x, weight = draw.place(x.cpu() * of_x, HALF), draw.place(weight.cpu() * of_weight, HALF)

    def gradients(function: Callable[..., Tensor], *given: Tensor) -> tuple[Tensor, ...]:
        leaves = [one.detach().requires_grad_() for one in given[:2]]
        return torch.autograd.grad(function(*leaves, 1e-12), leaves, given[2])

    expected = gradients(reference, *(one.cpu() for one in (x, weight, direction)))
    found = gradients(raw(answer.rms_norm), x, weight, direction)
    for name, got, one in zip(("x", "weight"), found, expected, strict=True):
        expect_close(
            got,
            one,
            what=f"in float16, with x around {of_x:g}, weights around {of_weight:g} and a gradient around "
            f"{of_gradient:g}, the gradient of {name}",
            teach="g · weight and r may be beyond float16 though the result is not: load all four as float32, and keep "
            "r as float32.",
            device=draw.device,
            rtol=2e-2,
            atol=1e-2 * float(one.abs().max()),
        )


@check("solved")
def summed_results_have_gradients(answer: Answer, draw: Draw) -> None:
    summed = [lambda *args, f=f: f(*args).sum() for f in (raw(answer.rms_norm), reference)]
    teach = (
        "The gradient of y.sum() is one number with strides of 0: make it contiguous before the kernel walks through."
    )
    for case in draw.cases(arguments, [(1, 2), (3, 5)]):
        expect_same_gradients(*summed, *case, wrt=(0, 1), teach=teach, rtol=1e-3, atol=1e-4)
        seen.expect_inside()


@check("solved")
def backward_is_a_kernel_too(answer: Answer, draw: Draw) -> None:
    x, weight, eps = arguments(draw, 3, 5)
    result = raw(answer.rms_norm)(x.requires_grad_(), weight.requires_grad_(), eps)

    def backward() -> set[str]:
        with watch() as ops:
            torch.autograd.grad(result, (x, weight), torch.ones_like(result))
        return set(ops.ops)

    used = sorted(seen.expect_launched("the backward of rms_norm", backward) & set(FORBIDDEN))
    expect(not used, f"the backward of rms_norm calls torch's {', '.join(used)}", teach=KERNEL)


@triton.jit
def row_kernel(x, weight, y, d, eps, block: tl.constexpr):
    row, columns = tl.program_id(0), tl.arange(0, block)
    inside = columns < d
    values = tl.load(x + row * d + columns, mask=inside, other=0.0).to(tl.float32)
    r = 1 / tl.sqrt(tl.sum(values * values, 0) / d + eps)
    tl.store(y + row * d + columns, values * r * tl.load(weight + columns, mask=inside), mask=inside)


@triton.jit
def row_gradient_kernel(x, weight, gradient, grad_x, parts, d, eps, block: tl.constexpr):
    row, columns = tl.program_id(0), tl.arange(0, block)
    inside = columns < d
    values = tl.load(x + row * d + columns, mask=inside, other=0.0).to(tl.float32)
    r = 1 / tl.sqrt(tl.sum(values * values, 0) / d + eps)
    g = tl.load(gradient + row * d + columns, mask=inside, other=0.0)
    gw = g * tl.load(weight + columns, mask=inside, other=0.0)
    mean = tl.sum(gw * values * r, 0) / d
    tl.store(grad_x + row * d + columns, r * (gw - values * r * mean), mask=inside)
    tl.store(parts + row * d + columns, g * values * r, mask=inside)


class Rows(torch.autograd.Function):
    """What the learner's is timed against."""

    @staticmethod
    def forward(ctx, x, weight, eps):  # type: ignore[no-untyped-def]
        y = torch.empty_like(x)
        row_kernel[(len(x),)](x, weight, y, x.shape[1], eps, triton.next_power_of_2(x.shape[1]))
        ctx.save_for_backward(x, weight)
        ctx.eps = eps
        return y

    @staticmethod
    def backward(ctx, gradient):  # type: ignore[no-untyped-def]
        x, weight = ctx.saved_tensors
        d = x.shape[1]
        grad_x, parts = torch.empty_like(x), torch.empty_like(x)
        block = triton.next_power_of_2(d)
        row_gradient_kernel[(len(x),)](x, weight, gradient.contiguous(), grad_x, parts, d, ctx.eps, block)
        return grad_x, parts.sum(0), None


def expect_few_accesses(rms_norm: Callable[..., object], draw: Draw, teach: str) -> None:
    """A row 32 times as long takes as many loads and stores; twice as many, for those who cut rows in large blocks."""
    counts = []
    for d in (8, 256):
        before = seen.accesses
        rms_norm(*(tensor.requires_grad_() for tensor in arguments(draw, 1, d)[:2]))
        counts.append(seen.accesses - before)
    few, many = counts
    expect(
        many <= 2 * few,
        f"forward and backward make {few} loads and stores for a row of 8 numbers and {many} for one of 256",
        teach=teach,
    )


@check("fast")
def whole_rows_at_once(answer: Answer, draw: Draw) -> None:
    def both(function: Callable[..., Tensor]) -> Callable[..., tuple[Tensor, ...]]:
        def rms_norm(x: Tensor, weight: Tensor) -> tuple[Tensor, ...]:
            return torch.autograd.grad(function(x, weight, 1e-6), (x, weight), x.detach())

        return rms_norm

    teach = "A program should load, compute and store whole rows: a loop over a few columns at a time leaves it idle."
    interpreted = draw.device.type in ("cpu", "pretend")
    if interpreted:
        # Counted first, which a busy machine can't blur; the clock then finds what no count shows.
        expect_few_accesses(both(raw(answer.rms_norm)), draw, teach)
    # A GPU needs more rows to be busy at all than its interpreter can bear.
    n, d = (3, 32) if interpreted else (4096, 1024)
    inputs = [tuple(tensor.requires_grad_() for tensor in arguments(draw, n, d)[:2]) for _ in range(3)]
    expect_fast(
        both(raw(answer.rms_norm)),
        both(Rows.apply),
        inputs,
        ratio=2,
        floor=0.02,
        budget_s=0.3,
        compare=False,
        teach=teach,
    )

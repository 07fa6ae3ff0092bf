"""Grades metal: float64 as the reference; kernels run on a Mac's GPU, or in an interpreter that sees every access."""

import math

import torch
from torch import Tensor

from torchstone.learn.grading import Answer, Draw, check, expect, expect_same, looks_like, note, raw
from torchstone.learn.grading.metal import watch_metal

seen = watch_metal()

PROMISES = {
    "Tensors and numbers are bound to its parameters in order": None,
    "A kernel knows neither shapes nor strides": "strides_do_not_matter",
    "Elsewhere they run in an interpreter that knows functions": None,
    "Metal has no double, and 7 / 2 is 3": None,
    "For no numbers nothing need be launched": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

FORBIDDEN = dict.fromkeys(
    (
        "mul", "mul_", "div", "div_", "sigmoid", "silu", "exp", "rms_norm", "layer_norm", "rsqrt", "sqrt", "mean",
        "sum", "pow", "square", "norm", "einsum", "matmul", "mm", "numpy", "tolist", "item",
    ),
    "The kernels are to do the arithmetic: on the host only make the result and launch.",
)  # fmt: skip
GLU_SIZES = [(1,), (2,), (5,), (2, 3), (2, 3, 4), (), (130,)]
NORM_SIZES = [(1, 1), (1, 2), (2, 3), (5, 4), (2, 17), (70, 2)]
LAYOUTS = ("strided", "transposed")


def glu(gate: Tensor, up: Tensor) -> Tensor:
    wide = gate.double()
    return (wide * wide.sigmoid() * up.double()).to(gate.dtype)


def norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    wide = x.double()
    return (wide * (wide.square().mean(-1, keepdim=True) + eps).rsqrt() * weight.double()).to(x.dtype)


def glu_case(draw: Draw, *shape: int) -> tuple[Tensor, Tensor]:
    return draw.normal(*shape, scale=3), draw.normal(*shape)


def norm_case(draw: Draw, n: int, d: int) -> tuple[Tensor, Tensor, float]:
    return draw.normal(n, d), draw.uniform(d, low=0.5, high=2), draw.choice([1e-6, 0.5])


GLU_KNOWN = [
    looks_like(lambda gate, up: gate * up, "The gate has no sigmoid yet."),
    looks_like(lambda gate, up: glu(up, gate), "Gate and up have changed places."),
    looks_like(lambda gate, up: gate.sigmoid() * up, "That is σ(gate) · up: the gate itself is a factor, too."),
]
NORM_KNOWN = [
    looks_like(lambda x, w, eps: norm(x, torch.ones_like(w), eps), "The weight is missing."),
    looks_like(lambda x, w, eps: norm(x, w, 0.0), "eps is missing."),
    looks_like(
        lambda x, w, eps: x * (x.square().sum(-1, keepdim=True) + eps).rsqrt() * w,
        "The squares are added up, and not divided by d.",
    ),
]
GLU = "out[i] = g / (1 + exp(-g)) · up[i] with g = gate[i], for every i."
NORM = (
    "Row `row` begins at row · d: the squares of its d numbers first, then each number times 1 / √(squares / d + eps)."
)


def expect_glu(answer: Answer, gate: Tensor, up: Tensor, teach: str = GLU) -> None:
    got = expect_same(answer.swiglu, glu, gate, up, teach=teach, diagnose=GLU_KNOWN)
    seen.expect_inside()
    expect_contiguous(got, "swiglu")


def expect_norm(answer: Answer, x: Tensor, weight: Tensor, eps: float, teach: str = NORM) -> None:
    got = expect_same(answer.row_norm, norm, x, weight, eps, teach=teach, diagnose=NORM_KNOWN)
    seen.expect_inside()
    expect_contiguous(got, "row_norm")


def expect_contiguous(result: Tensor, name: str) -> None:
    expect(
        result.is_contiguous(),
        f"the result of {name} has the strides {result.stride()}",
        teach="empty_like keeps the strides of a tensor that is turned: torch.empty(x.shape) has its own.",
    )


@check("solved")
def gates_are_right(answer: Answer, draw: Draw) -> None:
    gate, up = glu_case(draw, 2)
    seen.expect_launched("swiglu", lambda: answer.swiglu(gate, up))
    for case in draw.cases(glu_case, GLU_SIZES):
        expect_glu(answer, *case)
    for shape in ((0,), (3, 0)):
        expect_glu(answer, *glu_case(draw, *shape), "There is nothing to launch for no numbers.")


@check("solved")
def large_gates_are_numbers(answer: Answer, draw: Draw) -> None:
    gate = draw.place(torch.tensor([-200.0, -100.0, -90.0, 0.0, 90.0, 200.0, 1e7, -1e7]))
    teach = "exp(200) is inf in float32: with exp(-g) below the line that gives 0, with exp(g) above it inf / inf."
    expect_glu(answer, gate, draw.normal(8), teach)


@check("solved")
def rows_are_normed(answer: Answer, draw: Draw) -> None:
    case = norm_case(draw, 2, 3)
    seen.expect_launched("row_norm", lambda: answer.row_norm(*case))
    for one in draw.cases(norm_case, NORM_SIZES):
        expect_norm(answer, *one)
    for size in ((0, 3), (2, 0)):
        expect_norm(answer, *norm_case(draw, *size), "There is nothing to launch for no numbers.")
    x, weight, _ = norm_case(draw, 2, 4)
    expect_norm(answer, x.abs() * 1e-4, weight, 1e-3, "eps is added to the mean of the squares, below the root.")
    expect_norm(answer, x * 1e-4, weight, 1e-12, "eps is what the caller says, however small.")
    expect_norm(answer, x * 0, weight, 1e-6, "A row of zeros stays one: eps is below the root.")
    usual = "Without a word eps is 1e-6."
    expect_same(answer.row_norm, lambda x, weight: norm(x, weight, 1e-6), x * 1e-3, weight, teach=usual)


@check("solved")
def strides_do_not_matter(answer: Answer, draw: Draw) -> None:
    teach = "A kernel sees memory, not strides: hand it x.contiguous(), and the weight's as well."
    for gate, up in draw.cases(glu_case, [(3, 4)], layouts=LAYOUTS):
        expect_glu(answer, gate, up, teach)
        expect_glu(answer, gate, up.contiguous(), teach)
        expect_glu(answer, gate.contiguous(), up, teach)
        expect_glu(answer, gate[1:], up[:2], teach)
    for x, weight, eps in draw.cases(norm_case, [(3, 4)], layouts=LAYOUTS):
        expect_norm(answer, x, weight.contiguous(), eps, teach)
        expect_norm(answer, x.contiguous(), torch.stack([weight, weight], 1)[:, 0], eps, teach)
        expect_norm(answer, x[1:], weight, eps, teach)


@check("solved")
def threads_share_the_work(answer: Answer, draw: Draw) -> None:
    for shape in ((3,), (2, 5)):
        answer.swiglu(*glu_case(draw, *shape))
        expect_threads("swiglu", math.prod(shape), "One thread a number: threads=out.numel().")
    for n, d in ((2, 3), (5, 1), (1, 4)):
        answer.row_norm(*norm_case(draw, n, d))
        expect_threads("row_norm", n, "One thread takes one row: with a thread a number each adds up its row again.")
    expect_norm(answer, *norm_case(draw, 1, 210))  # last: a thread a number would take its square of steps


def expect_threads(name: str, wanted: int, teach: str) -> None:
    """Of the last launch."""
    threads = seen.threads[-1]
    expect(threads == wanted, f"{name} launches {threads} threads, and should launch {wanted}", teach=teach)


@check("lean")
def compiled_once(answer: Answer, draw: Draw) -> None:
    gate, up = glu_case(draw, 2)
    x, weight, eps = norm_case(draw, 2, 3)
    raw(answer.swiglu)(gate, up)
    compiled, launches = seen.compiled, len(seen.launches)
    for _ in range(2):
        raw(answer.swiglu)(gate, up)
        raw(answer.row_norm)(x, weight, eps)
    new, launched = seen.compiled - compiled, len(seen.launches) - launches
    expect(
        new == 0 and compiled <= 1,
        f"the source was compiled {compiled + new} times",
        teach="Compiling takes longer than any launch: keep the library, in a variable or under functools.cache.",
    )
    expect(
        launched == 4,
        f"four calls make {launched} launches",
        teach="One kernel does it all: what a thread has read need not go through memory again.",
    )
    note("compiled once, one launch a call")

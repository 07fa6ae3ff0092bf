"""Grades online_softmax: the plain formula in float64 as the reference; bytes over forward and backward together."""

import torch
from torch import Tensor

from torchstone.learn.grading import (
    Answer,
    Draw,
    check,
    expect,
    expect_peak_memory,
    expect_same,
    expect_same_gradients,
    looks_like,
    raw,
    when,
)

PROMISES = {
    "For each query keep three things: the largest score so": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

FORBIDDEN = dict.fromkeys(
    (
        "scaled_dot_product_attention",
        # Going backward only the ops are seen that it is made of.
        "scaled_dot_product_flash_attention_for_cpu",
        "scaled_dot_product_flash_attention",
        "scaled_dot_product_efficient_attention",
        "safe_softmax",
    ),
    "That is torch's own attention in blocks: write the walk through the keys yourself.",
)
SIZES = [
    (1, 1, 1, 1, 1, 1),
    (1, 1, 2, 1, 1, 1),
    (1, 2, 3, 2, 2, 2),
    (2, 3, 4, 2, 3, 2),
    (2, 3, 7, 4, 5, 3),
    (1, 5, 4, 3, 2, 9),
    (3, 4, 6, 2, 2, 1),
    (2, 0, 3, 2, 2, 2),
]
"""heads, n, m, d, e, block."""
Case = tuple[Tensor, Tensor, Tensor, int]


def plain(q: Tensor, k: Tensor, v: Tensor, block: int, scale: float | None = None) -> Tensor:
    q64, k64, v64 = q.double(), k.double(), v.double()
    scores = q64 @ k64.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    return (scores.softmax(-1) @ v64).to(q.dtype)


def arguments(draw: Draw, heads: int, n: int, m: int, d: int, e: int, block: int) -> Case:
    return draw.normal(heads, n, d), draw.normal(heads, m, d), draw.normal(heads, m, e), block


def large(draw: Draw, *sizes: int) -> Case:
    """Scores in the thousands, rising towards the end, so that each block brings a larger one."""
    q, k, v, block = arguments(draw, *sizes)
    rising = draw.place(torch.linspace(-60, 60, k.shape[1])[None, :, None], q.dtype)
    return q.abs() * 40, k + rising, v, block


KNOWN = [
    looks_like(lambda q, k, v, b: plain(q, k, v, b, 1.0), "The scores are not scaled: divide them by √d."),
    looks_like(lambda q, k, v, b: plain(q, k, v, b, 1 / q.shape[-1]), "The scores are divided by d, not by √d."),
    when(
        lambda got, expected: got.isnan().any() or got.isinf().any(),
        "An exponent became too large, or −∞ met −∞: always subtract the largest score so far before exp.",
    ),
]
TEACH = "When a block brings a larger score, both sums so far shrink by exp(old largest − new largest)."


@check("solved")
def outputs_are_right(answer: Answer, draw: Draw) -> None:
    layouts = ("contiguous", "transposed")
    for case in draw.cases(arguments, SIZES, dtypes=(torch.float32, torch.float64), layouts=layouts):
        expect_same(answer.attention, plain, *case, teach=TEACH, diagnose=KNOWN)
    q, k, v, _ = arguments(draw, 1, 2, 150, 2, 3, 64)
    expect_same(answer.attention, lambda q, k, v: plain(q, k, v, 64), q, k, v, teach="Without a word a block is 64.")
    expect_same(answer.attention, plain, *arguments(draw, 1, 3, 600, 2, 2, 64), teach=TEACH)
    expect_same(answer.attention, plain, *arguments(draw, 1, 300, 70, 2, 2, 64), teach=TEACH)


@check("solved")
def large_scores_are_no_trouble(answer: Answer, draw: Draw) -> None:
    for case in draw.cases(large, [(1, 1, 2, 1, 1, 1), (1, 2, 6, 2, 2, 2)], dtypes=(torch.float64,)):
        expect_same(answer.attention, plain, *case, teach=TEACH, diagnose=KNOWN)
        q, k, v, block = case
        expect_same(answer.attention, plain, q, -k, v, block, teach=TEACH, diagnose=KNOWN)
        low = "All scores may lie far below zero: the largest so far begins at −∞, or with the first block, not at 0."
        expect_same(answer.attention, plain, q, k - 200, v, block, teach=low, diagnose=KNOWN)
        expect_same(answer.attention, plain, q, k - 2000, v, block, teach=low, diagnose=KNOWN)
    for q, k, v, block in draw.cases(large, [(1, 2, 6, 2, 2, 2)], dtypes=(torch.float32,), repeats=1):
        for keys in (k, -k, k - 2000):
            expect_same(answer.attention, plain, q, keys, v, block, teach=TEACH, diagnose=KNOWN, atol=5e-2)


@check("solved")
def gradients_are_right(answer: Answer, draw: Draw) -> None:
    teach = (
        "With p = exp(score − L): pᵀ g for v, and p · (g vᵀ − D) for the scores, scaled by 1/√d on the way to q and k."
    )
    for case in draw.cases(arguments, SIZES, dtypes=(torch.float64,), layouts=("contiguous", "transposed")):
        expect_same_gradients(answer.attention, plain, *case, teach=teach)
    few = arguments(draw, 1, 3, 200, 2, 2, 64)
    for wrt in ((0,), (1,), (2,)):
        expect_same_gradients(answer.attention, plain, *few, wrt=wrt, teach=teach, rtol=1e-3, atol=1e-4)
    for case in draw.cases(large, [(1, 1, 2, 1, 1, 1), (1, 2, 6, 2, 2, 2)], dtypes=(torch.float64,)):
        q, k, v, block = case
        for keys in (k, k - 200):
            expect_same_gradients(answer.attention, plain, q, keys, v, block, teach=teach, atol=1e-6)
    turned = [lambda *args, f=f: f(*args).mT.contiguous() for f in (raw(answer.attention), plain)]
    strides = "The gradient that comes in has the strides that it has: use reshape, not view."
    expect_same_gradients(*turned, *arguments(draw, 2, 3, 5, 2, 4, 2), teach=strides, rtol=1e-3, atol=1e-4)


@check("lean")
def no_big_matrix_lives(answer: Answer, draw: Draw) -> None:
    heads, n, m, d, block = 1, 512, 512, 8, 16
    attention = raw(answer.attention)
    q, k, v, _ = arguments(draw, heads, n, m, d, d, block)

    def forward(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return attention(q, k, v, block)

    def both(q: Tensor, k: Tensor, v: Tensor) -> None:
        attention(q, k, v, block).sum().backward()

    budget = 4 * heads * (8 * n * block + 20 * n * d)
    teach = f"{n} × {m} numbers live at some time, all at once or block by block: what can be computed again instead?"
    compared = f"the budget for n = m = {n}, d = {d} and blocks of {block}"
    forward.__name__, both.__name__ = "attention, going forward,", "attention, forward and backward,"
    expect_peak_memory(forward, q, k, v, at_most_bytes=budget, compared_with=compared, teach=teach)
    leaves = [tensor.clone().requires_grad_() for tensor in (q, k, v)]
    expect_peak_memory(both, *leaves, at_most_bytes=budget, compared_with=compared, teach=teach)
    expect(all(leaf.grad is not None for leaf in leaves), "an argument got no gradient")
    # Few queries and many keys: whoever cuts the queries into blocks has all of the scores at once.
    # Small blocks: whoever takes larger ones than the caller asked for has more than n × block numbers.
    for n, m, d, block in ((64, 2048, 1, 64), (256, 64, 2, 2)):
        q, k, v, _ = arguments(draw, 1, n, m, d, d, block)
        leaves = [tensor.clone().requires_grad_() for tensor in (q, k, v)]
        for function, given in ((forward, (q, k, v)), (both, leaves)):
            expect_peak_memory(
                function,
                *given,
                at_most_bytes=4 * (8 * n * block + 20 * (n + m) * d),
                compared_with=f"the budget for n = {n}, m = {m} and blocks of {block} keys",
                teach="Walk through the keys in blocks: n × block numbers live at a time, however many keys there are.",
            )

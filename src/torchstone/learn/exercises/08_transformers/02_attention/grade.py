"""Grades attention: one query at a time in float64 as the reference, over its visible keys alone."""

import math

import torch
from torch import Tensor

from torchstone.learn.grading import Answer, Draw, check, expect_same, expect_same_gradients, looks_like, when

PROMISES = {
    "In float16, whose largest number is 65,504, query · keyᵀ may": "half_precision_does_not_overflow",
    "`attention(query, key, value, mask=None)` takes `(..., n, d)`, `(..., m,": "unmasked_is_right",
    "`mask` is boolean and broadcasts to `(..., n, m)`; true": "mask_hides_keys",
    "Every query may look at one key at least.": None,
    "`causal_attention(query, key, value)`: no query sees the future.": "causal_is_right",
    "`softmax` you may use.": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

FORBIDDEN = dict.fromkeys(
    (
        "scaled_dot_product_attention",
        "scaled_dot_product_attention_math",
        "scaled_dot_product_flash_attention_for_cpu",
        "scaled_dot_product_flash_attention",
        "scaled_dot_product_efficient_attention",
        "multi_head_attention_forward",
        "native_multi_head_attention",
    ),
    "That function is the one you are writing: build it from two matrix products and a softmax.",
)
SIZES = [((), 1, 1, 1, 1), ((), 2, 3, 1, 2), ((), 3, 3, 4, 3), ((2,), 2, 5, 3, 4), ((2, 3), 4, 4, 8, 8)]
CAUSAL = [((), 1, 1, 1, 1), ((), 2, 2, 2, 1), ((), 1, 3, 2, 2), ((2,), 2, 5, 3, 4), ((2, 3), 4, 6, 8, 8)]
DTYPES = (torch.float32, torch.float64, torch.bfloat16, torch.float16)


def reference(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, scale: float | None = None
) -> Tensor:
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = torch.einsum("...nd,...md->...nm", query.double(), key.double()) * scale
    if mask is not None:
        scores = torch.where(mask, scores, -torch.inf)
    weights = (scores - scores.amax(-1, keepdim=True)).exp()
    weights = weights / weights.sum(-1, keepdim=True)
    return torch.einsum("...nm,...me->...ne", weights, value.double()).to(query.dtype)


def see_earlier(query: Tensor, key: Tensor, shift: int | None = None) -> Tensor:
    n, m = query.shape[-2], key.shape[-2]
    shift = m - n if shift is None else shift
    return torch.arange(m)[None, :] <= torch.arange(n)[:, None] + shift


def causal(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return reference(query, key, value, see_earlier(query, key))


def masked_afterwards(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    scores = query @ key.mT / query.shape[-1] ** 0.5
    weights = scores.softmax(-1)
    return (weights if mask is None else weights * mask) @ value


def over_the_queries(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    scores = query @ key.mT / query.shape[-1] ** 0.5
    return (scores if mask is None else scores.masked_fill(~mask, -torch.inf)).softmax(-2) @ value


def three(draw: Draw, batch: tuple[int, ...], n: int, m: int, d: int, e: int) -> tuple[Tensor, Tensor, Tensor]:
    return draw.normal(*batch, n, d, scale=1.5), draw.normal(*batch, m, d, scale=1.5), draw.normal(*batch, m, e)


def with_mask(draw: Draw, *size: object) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    query, key, value = three(draw, *size)
    mask = draw.mask(*query.shape[:-1], key.shape[-2], share=0.6)
    mask[..., draw.integer(0, key.shape[-2] - 1)] = True
    return query, key, value, mask


def better_hidden(draw: Draw) -> tuple[Tensor, ...]:
    """The first query's visible keys have scores below any number that one would choose for the hidden ones."""
    size = {torch.float16: 2e4, torch.float64: 1e100}.get(draw.dtype, 1e30)
    key = torch.tensor([[-1.0], [-2.0], [1.0]], dtype=torch.float64) * size
    mask = torch.tensor([[False, True, False], [True, True, False]])
    return draw.place(torch.ones(2, 1)), draw.place(key), draw.normal(3, 2), draw.place(mask, torch.bool)


KNOWN = [
    looks_like(
        masked_afterwards,
        "Masked after the softmax: hidden keys have taken their part of the sum, so the weights no longer add up to 1.",
    ),
    looks_like(
        lambda *args: reference(*args, scale=1 / args[0].shape[-1]),
        "Scaled by d: the dot product of d numbers has a standard deviation of √d, so divide by √d.",
    ),
    looks_like(lambda *args: reference(*args, scale=1.0), "The scores are not scaled: divide them by √d."),
    looks_like(over_the_queries, "The softmax goes over the queries: each query's weights over the keys add up to 1."),
    looks_like(
        lambda query, key, value, mask=None: reference(query, key, value),
        "The mask has no effect.",
    ),
    looks_like(
        lambda query, key, value, mask=None: reference(query, key, value, None if mask is None else ~mask),
        "The mask is turned round: true means that the query may look.",
    ),
]
LOWEST = "Scores may be lower than any number: −inf alone stands for a key that may not be looked at."
TEACH = "softmax over the keys of query · keyᵀ / √d, times the values."


@check("solved")
def unmasked_is_right(answer: Answer, draw: Draw) -> None:
    for case in draw.cases(three, SIZES, dtypes=DTYPES, layouts=("contiguous", "transposed")):
        expect_same(answer.attention, reference, *case, diagnose=KNOWN, teach=TEACH, **loose(case[0]))


@check("solved")
def mask_hides_keys(answer: Answer, draw: Draw) -> None:
    leak = when(
        lambda got, expected: bool(got.isnan().any()),
        "NaN: fill the hidden scores with −inf before the softmax, and multiply nothing by them.",
    )
    for query, key, value, mask in draw.cases(with_mask, SIZES, dtypes=DTYPES):
        rules = loose(query)
        expect_same(answer.attention, reference, query, key, value, mask, diagnose=[*KNOWN, leak], teach=TEACH, **rules)
        row = mask[(0,) * (mask.dim() - 1)]
        teach = "A mask of (m,) counts for every query, one of (n, m) for the whole batch: let it broadcast."
        expect_same(answer.attention, reference, query, key, value, row, teach=teach, **rules)


@check("solved")
def hidden_keys_have_no_influence(answer: Answer, draw: Draw) -> None:
    teach = "A hidden key still counts: −1e4 is not far enough away when its score is large; −inf always is."
    for query, key, value, mask in draw.cases(with_mask, [((), 2, 3, 4, 2), ((2,), 3, 4, 2, 3)]):
        mask[..., -1] = False
        mask[..., 0] = True
        key[..., -1, :] = query.mean(-2).sign() * 1e9
        expect_same(answer.attention, reference, query, key, value, mask, teach=teach)
        # Every key that may be looked at fits badly, by some ten thousand: a hidden one is still no better.
        poor = -query.mean(-2, keepdim=True).sign().expand_as(key) * draw.uniform(*key.shape, low=4e4, high=5e4)
        alike = query.mean(-2, keepdim=True).sign().expand_as(query).clone()
        expect_same(answer.attention, reference, alike, poor, value, mask, teach=teach, rtol=1e-2, atol=1e-2)
    for query, key, value, mask in draw.cases(better_hidden, dtypes=DTYPES):
        expect_same(answer.attention, reference, query, key, value, mask, teach=LOWEST)
        expect_same(answer.causal_attention, causal, query, key, value, teach=LOWEST)


@check("solved")
def large_scores_are_right(answer: Answer, draw: Draw) -> None:
    teach = "exp of a large score overflows: softmax takes the largest away first, and so must you."
    for query, key, value in draw.cases(three, [((), 2, 3, 4, 2), ((2,), 3, 4, 2, 3)]):
        expect_same(answer.attention, reference, query * 40, key * 40, value, teach=teach, rtol=1e-2, atol=1e-2)


@check("solved")
def causal_is_right(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(reference, "This query sees the future: hide the keys that come after it."),
        looks_like(
            lambda query, key, value: reference(query, key, value, see_earlier(query, key, shift=0)),
            "Aligned at the first positions: the queries belong to the last n of the m positions.",
        ),
        looks_like(
            lambda query, key, value: reference(
                query, key, value, see_earlier(query, key, key.shape[-2] - query.shape[-2] - 1)
            ),
            "A query does not see its own position: the diagonal belongs to what it may look at.",
        ),
    ]
    teach = "Query i stands at position m − n + i and sees the keys up to that position."
    for case in draw.cases(three, CAUSAL, dtypes=DTYPES):
        expect_same(answer.causal_attention, causal, *case, diagnose=known, teach=teach, **loose(case[0]))


@check("solved")
def long_texts_in_half_precision(answer: Answer, draw: Draw) -> None:
    """bfloat16 takes position 301 for 300; the last value is large, and only the last query may see it."""
    query, key, value = three(draw, (), 3, 302, 2, 1)
    case = [draw.place(one.cpu(), torch.bfloat16) for one in (query, key * 0.1, value)]
    case[2][-1] = 9_000.0
    teach = "Positions are whole numbers: made in the dtype of the query, some of them are one."
    expect_same(answer.causal_attention, causal, *case, teach=teach, rtol=0.1, atol=0.5)


@check("solved")
def gradients_are_right(answer: Answer, draw: Draw) -> None:
    for query, key, value, mask in draw.cases(with_mask, SIZES[1:], dtypes=(torch.float32, torch.float64)):
        expect_same_gradients(answer.attention, reference, query, key, value, mask)
        if query.shape[-2] <= key.shape[-2]:
            expect_same_gradients(answer.causal_attention, causal, query, key, value)


@check("solved")
def half_precision_does_not_overflow(answer: Answer, draw: Draw) -> None:
    teach = "float16 ends at 65,504: divide the query by √d before the product, or compute the scores in float32."
    for width, size in ((64, 60.0), (16, 90.0)):
        # One key fits each query, the others do the opposite: scores near ±30,000, products √d times as large.
        signs = draw.choice([1.0, -1.0]) * torch.ones(width)
        keys = torch.stack([signs * size * (1 if place == 1 else -1) for place in range(3)])
        query, key = draw.place(torch.stack([signs * size] * 2), torch.float16), draw.place(keys, torch.float16)
        value = draw.normal(3, 4, dtype=torch.float16)
        mask = draw.place(torch.ones(2, 3), torch.bool)
        for rest in ((), (mask,)):
            expect_same(answer.attention, reference, query, key, value, *rest, teach=teach, rtol=1e-2, atol=1e-2)
        expect_same(answer.causal_attention, causal, query, key, value, teach=teach, rtol=1e-2, atol=1e-2)


def loose(query: Tensor) -> dict[str, float]:
    """Half precision rounds the scores, and exp makes that a relative error of the weights."""
    return {"rtol": 0.1, "atol": 0.1} if query.dtype in (torch.float16, torch.bfloat16) else {}

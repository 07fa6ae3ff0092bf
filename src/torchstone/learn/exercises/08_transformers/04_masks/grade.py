"""Grades masks: each mask from its definition, place by place; attention in float64, query by query."""

import torch
from torch import Tensor

from torchstone.learn.grading import (
    Answer,
    Draw,
    check,
    expect,
    expect_same,
    expect_same_gradients,
    expect_same_ops,
    looks_like,
    watch_call,
)

PROMISES = {
    "Write four masks, all boolean, true where a query (row) may": "causal_is_right",
    "causal(n, m, device) → (n, m): the n queries are the last n of": "causal_is_right",
    "window(n, width, device) → (n, n): causal, and each query sees": "window_is_right",
    "Causal, and no token sees another text": "documents_are_apart",
    "A text's tokens need not lie side by side": "documents_are_apart",
    "lengths is (batch,), each from 0 to n": "prefixes_are_right",
    "attend(query, key, value, mask) → (batch, heads, n, e)": "it_is_fused",
    "A query that may look at no key gets zeros, and leaves no NaN": "empty_rows_are_zero",
    "Lean: as many ops for long texts as for short ones": "ops_do_not_grow",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

LENGTHS = [1, 2, 3, 6]
CASES = [(1, 1, 1, 1, 1, 1), (2, 1, 2, 3, 2, 2), (2, 3, 3, 3, 2, 4), (3, 2, 4, 5, 3, 1)]
"""batch, heads, n, m, d, e"""


def table(n: int, m: int, allowed: object) -> Tensor:
    return torch.tensor([[bool(allowed(i, j)) for j in range(m)] for i in range(n)]).reshape(n, m)


def causal(n: int, m: int, device: object = None) -> Tensor:
    return table(n, m, lambda i, j: j <= i + m - n)


def window(n: int, width: int, device: object = None) -> Tensor:
    return table(n, n, lambda i, j: i - width < j <= i)


def documents(ids: Tensor) -> Tensor:
    rows = ids.reshape(-1, ids.shape[-1]).tolist()
    n = ids.shape[-1]
    made = [table(n, n, lambda i, j, row=row: j <= i and row[i] == row[j]) for row in rows]
    return torch.stack(made).reshape(*ids.shape, n)


def prefix(lengths: Tensor, n: int) -> Tensor:
    return torch.stack([table(n, n, lambda i, j, k=k: j < k or j <= i) for k in lengths.tolist()])


def attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    q, k, v = query.double(), key.double(), value.double()
    scores = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(~mask[:, None], float("-inf"))
    empty = ~mask.any(-1)[:, None, :, None]
    weights = scores.masked_fill(empty, 0).softmax(-1)
    return (weights @ v).masked_fill(empty, 0).to(query.dtype)


def attention_case(draw: Draw, batch: int, heads: int, n: int, m: int, d: int, e: int) -> tuple[Tensor, ...]:
    mask = draw.mask(batch, n, m)
    mask[..., 0] |= ~mask.any(-1)
    return draw.normal(batch, heads, n, d), draw.normal(batch, heads, m, d), draw.normal(batch, heads, m, e), mask


def with_empty_rows(draw: Draw, *size: int) -> tuple[Tensor, ...]:
    query, key, value, mask = attention_case(draw, *size)
    mask[draw.integer(0, len(mask) - 1), draw.integer(0, mask.shape[1] - 1)] = False
    return query, key, value, mask


@check("solved")
def causal_is_right(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(lambda n, m, d: torch.ones(n, m, dtype=torch.bool).tril(), "Query 0 is at position m − n, not 0."),
        looks_like(lambda n, m, d: causal(n, m).logical_not(), "True means that a query may look."),
        looks_like(lambda n, m, d: table(n, m, lambda i, j: j < i + m - n), "Each query sees itself, too."),
    ]
    for n, m in ((2, 2), (1, 1), (1, 4), (3, 5), (5, 5)):
        expect_same(answer.causal, causal, n, m, draw.device, diagnose=known, teach="Query i is at position m − n + i.")


@check("solved")
def window_is_right(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(lambda n, w, d: window(n, w + 1), "That is one key too many: itself counts among the width."),
        looks_like(lambda n, w, d: table(n, n, lambda i, j: abs(i - j) < w), "Keys after the query are the future."),
    ]
    for n in LENGTHS:
        for width in (1, 2, 4, 9):
            expect_same(answer.window, window, n, width, draw.device, diagnose=known)


@check("solved")
def documents_are_apart(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(
            lambda ids: ids[..., :, None] == ids[..., None, :], "Tokens see the future of their own text: causal, too."
        ),
        looks_like(
            lambda ids: causal(ids.shape[-1], ids.shape[-1]).expand(*ids.shape, ids.shape[-1]), "Texts see each other."
        ),
    ]
    for shape in ((1,), (4,), (2, 5), (2, 3, 4)):
        for high in (1, 3):
            for lowest in (0, -7):
                ids = draw.integers(*shape, high=high) * 7 + lowest
                expect_same(answer.documents, documents, ids, diagnose=known)
    teach = "Ids are whole numbers of any size and dtype: compare them as they are."
    for lowest, dtype in ((2**24, torch.int32), (2**53, torch.int64), (-(2**62), torch.int64), (0, torch.uint8)):
        for shape in ((4,), (2, 6)):
            ids = draw.place((draw.integers(*shape, high=3).cpu() + lowest).to(dtype), dtype)
            expect_same(answer.documents, documents, ids, diagnose=known, teach=teach)
    apart = torch.tensor([0, 2**8, 2**16, 2**32, 2**53, 2**62])  # alike in their last bits
    for _ in range(3):
        ids = draw.place(apart[draw.integers(2, 9, high=6).cpu()], torch.int64)
        expect_same(answer.documents, documents, ids, diagnose=known, teach=teach)


@check("solved")
def prefixes_are_right(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(lambda k, n: causal(n, n).expand(len(k), n, n), "The question sees itself whole, also forwards."),
        looks_like(
            lambda k, n: torch.stack([table(n, n, lambda i, j, k=k: j <= k or j <= i) for k in k.tolist()]),
            "One token too many is seen by everyone: the first `length` tokens are 0 … length − 1.",
        ),
    ]
    for n in LENGTHS:
        lengths = draw.place(torch.tensor([0, n, draw.integer(0, n), max(0, n - 1)]), torch.int64)
        expect_same(answer.prefix, prefix, lengths, n, diagnose=known)
        expect_same(answer.prefix, prefix, draw.place(lengths.cpu().to(torch.int32), torch.int32), n, diagnose=known)


@check("solved")
def attention_is_right(answer: Answer, draw: Draw) -> None:
    teach = "softmax(q · kᵀ / √d) · v over the keys where the mask of the same batch entry is true."
    for case in draw.cases(attention_case, CASES, dtypes=(torch.float32, torch.float64)):
        expect_same(answer.attend, attend, *case, teach=teach)
        expect_same_gradients(answer.attend, attend, *case, teach=teach)


@check("solved")
def empty_rows_are_zero(answer: Answer, draw: Draw) -> None:
    teach = "A row without a key is 0 / 0: let it look at something, and replace its result by zeros."
    for case in draw.cases(with_empty_rows, CASES[1:]):
        expect_same(answer.attend, attend, *case, teach=teach)
        expect_same_gradients(answer.attend, attend, *case, teach=teach)
    query, key, value, mask = attention_case(draw, 1, 1, 2, 256, 2, 2)
    mask[:] = True  # so many that a byte cannot count them
    expect_same(answer.attend, attend, query, key, value, mask, teach="A row is empty where no key at all is true.")
    for case in draw.cases(with_empty_rows, CASES[2:], dtypes=(torch.float16, torch.bfloat16)):
        expect_same(answer.attend, attend, *case, teach=teach, rtol=0.05, atol=0.05)


@check("solved")
def hidden_keys_may_fit_better(answer: Answer, draw: Draw) -> None:
    """What the query may look at has a score below any number that one would choose for the hidden keys."""
    teach = (
        "Scores may be lower than any number: where the mask is false only −inf will do, or the boolean mask itself."
    )
    query, value = draw.place(torch.ones(1, 2, 1, 2)), draw.normal(1, 2, 3, 2)
    key = draw.place(torch.tensor([1e30, -1e30, 1.0]).reshape(1, 1, 3, 1).expand(1, 2, 3, 2))
    mask = draw.place(torch.tensor([[[False, True, False]]]), torch.bool)
    expect_same(answer.attend, attend, query, key, value, mask, teach=teach)


@check("solved")
def it_is_fused(answer: Answer, draw: Draw) -> None:
    seen = watch_call(answer.attend, *attention_case(draw, *CASES[2]))
    used = "scaled_dot_product_attention" in seen.functions
    expect(used, "attend does not call scaled_dot_product_attention", teach="That is the fused one, and the fast one.")


@check("lean")
def ops_do_not_grow(answer: Answer, draw: Draw) -> None:
    expect_same_ops(answer.causal, (4, 8, draw.device), (600, 1_100, draw.device))
    expect_same_ops(answer.window, (4, 2, draw.device), (1_100, 2, draw.device))
    expect_same_ops(answer.window, (4, 2, draw.device), (400, 300, draw.device))
    expect_same_ops(answer.documents, (draw.integers(2, 4, high=3),), (draw.integers(20, 200, high=90),))
    expect_same_ops(answer.prefix, (draw.integers(2, high=4), 4), (draw.integers(40, high=200), 200))
    small, large = attention_case(draw, 2, 1, 2, 3, 2, 2), attention_case(draw, 20, 2, 40, 60, 2, 2)
    expect_same_ops(answer.attend, small, large)

"""Grades gqa_rope: complex numbers in float64 as the reference for rotating, one head at a time for attention."""

import torch
from torch import Tensor

from torchstone.learn.grading import (
    Answer,
    Draw,
    check,
    expect_close,
    expect_same,
    expect_same_gradients,
    looks_like,
    note,
)

PROMISES = {
    "Rotating queries and keys makes their dot product depend on": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

VECTORS = [((), 2, 2), ((), 1, 4), ((), 2, 4), ((2,), 3, 6), ((2, 3), 4, 8)]
HEADS = [
    (1, 1, 1, 1, 1, 2, 1),
    (1, 2, 1, 2, 2, 2, 2),
    (1, 4, 2, 2, 3, 4, 3),
    (2, 6, 3, 3, 5, 8, 4),
    (2, 3, 3, 4, 4, 4, 4),
]
FAR = 4000
"""Positions of a long text: bfloat16 cannot tell 4,000 from 4,010."""


def spin(x: Tensor, positions: Tensor, base: float = 10_000.0, power: float = 2.0, sign: int = 1) -> Tensor:
    """The same turn as a product of complex numbers."""
    half = x.shape[-1] // 2
    frequencies = base ** (-power * torch.arange(half, dtype=torch.float64) / x.shape[-1])
    points = torch.complex(x.double()[..., :half], x.double()[..., half:])
    angles = sign * positions.double()[:, None] * frequencies
    turned = points * torch.polar(torch.ones_like(angles), angles)
    return torch.cat([turned.real, turned.imag], -1).to(x.dtype)


def neighbours(x: Tensor, positions: Tensor, base: float = 10_000.0) -> Tensor:
    """A mistake: numbers 2i and 2i + 1 as a pair, as some models have it."""
    order = torch.cat([torch.arange(0, x.shape[-1], 2), torch.arange(1, x.shape[-1], 2)])
    return spin(x[..., order], positions, base)[..., order.argsort()]


def from_zero(x: Tensor, positions: Tensor, base: float = 10_000.0) -> Tensor:
    return spin(x, torch.arange(len(positions)), base)


def attend(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    query_positions: Tensor,
    key_positions: Tensor,
    base: float = 10_000.0,
    alternating: bool = False,
    turned_values: bool = False,
    all_keys: bool = False,
) -> Tensor:
    heads, groups = query.shape[1], key.shape[1]
    mask = key_positions[None, :] <= query_positions[:, None]
    if turned_values:
        value = spin(value, key_positions, base)
    results = []
    for head in range(heads):
        group = head % groups if alternating else head * groups // heads
        turned = spin(query[:, head].double(), query_positions, base), spin(key[:, group].double(), key_positions, base)
        scores = turned[0] @ turned[1].mT / query.shape[-1] ** 0.5
        scores = scores if all_keys else scores.masked_fill(~mask, -torch.inf)
        results.append(scores.softmax(-1) @ value[:, group].double())
    return torch.stack(results, 1).to(query.dtype)


def vectors(draw: Draw, batch: tuple[int, ...], n: int, d: int, far: int = 40) -> tuple[Tensor, Tensor, float]:
    return draw.normal(*batch, n, d), draw.integers(n, low=0, high=far), draw.choice([10_000.0, 100.0])


def heads_case(draw: Draw, batch: int, heads: int, groups: int, n: int, m: int, d: int, e: int) -> tuple:
    key_positions = draw.permutation(m) + draw.integer(0, 9)
    query_positions = draw.integers(n, high=m) + key_positions.min()
    tensors = draw.normal(batch, heads, n, d), draw.normal(batch, groups, m, d), draw.normal(batch, groups, m, e)
    return *tensors, query_positions, key_positions


@check("solved")
def rotation_is_right(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(lambda x, positions, base=10_000.0: x, "Nothing is turned here: this is x as it was given."),
        looks_like(
            neighbours,
            "These pairs are neighbours, numbers 2i and 2i + 1: here number i goes with number i + d/2.",
        ),
        looks_like(from_zero, "The positions count from 0 here, whatever was given: use the argument."),
        looks_like(
            lambda x, positions, base=10_000.0: spin(x, positions, base, power=1.0),
            "The exponent is −2i/d: i counts pairs, and there are d/2 of them.",
        ),
        looks_like(
            lambda x, positions, base=10_000.0: spin(x, positions, base, sign=-1),
            "Turned the other way round: first · cos − second · sin, first · sin + second · cos.",
        ),
    ]
    teach = "Pair i is (x[i], x[i + d/2]), turned by position · base^(−2i/d)."
    dtypes, layouts = (torch.float32, torch.float64), ("contiguous", "strided")
    for x, positions, base in draw.cases(vectors, VECTORS, dtypes=dtypes, layouts=layouts):
        atol = 2e-5 if x.dtype == torch.float32 else None
        expect_same(answer.rotate, spin, x, positions, base, diagnose=known, teach=teach, atol=atol)
        expect_same(answer.rotate, spin, x, positions, diagnose=known, teach=teach, atol=atol)
        short = draw.place(positions.cpu().to(torch.int32), torch.int32)
        expect_same(answer.rotate, spin, x, short, base, teach="Positions are whole numbers of any dtype.", atol=atol)


@check("solved")
def long_texts_in_half_precision(answer: Answer, draw: Draw) -> None:
    teach = "The angle is a position in the thousands times a frequency: in half precision it is off by whole turns."
    for dtype in (torch.bfloat16, torch.float16, torch.float32):
        draw.dtype = dtype
        x, positions, base = vectors(draw, (2,), 24, 8, far=FAR)
        expect_same(answer.rotate, spin, x, positions, base, teach=teach, rtol=3e-2, atol=3e-2)
        farther = positions + 5 * FAR
        expect_same(answer.rotate, spin, x, farther, base, teach=teach, rtol=3e-2, atol=3e-2)


@check("solved")
def attention_is_right(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(
            lambda *args: attend(*args, alternating=True),
            "The groups alternate here (repeat): neighbouring heads share a group, 0 0 1 1 (repeat_interleave).",
        ),
        looks_like(
            lambda *args: attend(*args, turned_values=True), "Values carry no position: only q and k are rotated."
        ),
        looks_like(
            lambda *args: attend(*args, all_keys=True),
            "A query sees later keys: hide those whose position is beyond the query's.",
        ),
        looks_like(
            lambda q, k, v, qp, kp: attend(q, k, v, torch.arange(len(qp)), torch.arange(len(kp))),
            "Places are taken for positions: compare positions, not places; the arguments say which they are.",
        ),
        looks_like(
            lambda q, k, v, qp, kp: (
                attend(q, k, v, 0 * qp, 0 * kp, all_keys=True) if bool((kp <= qp.min()).all()) else 0
            ),
            "Nothing is rotated here.",
        ),
    ]
    teach = "Rotate queries and keys by their own positions; compare positions, not places, for the mask."
    for case in draw.cases(heads_case, HEADS, dtypes=(torch.float32, torch.float64)):
        near = {"rtol": 1e-3, "atol": 1e-4} if case[0].dtype == torch.float32 else {}
        expect_same(answer.grouped_attention, attend, *case, diagnose=known, teach=teach, **near)
        expect_same(answer.grouped_attention, attend, *case, 100.0, teach="`base` is not used.", **near)


@check("solved")
def hidden_keys_may_fit_better(answer: Answer, draw: Draw) -> None:
    teach = "Scores may be lower than any number: −inf alone stands for a key that may not be looked at."
    for draw.dtype in (torch.float32, torch.bfloat16):
        query, value = draw.place(torch.ones(1, 2, 1, 2)), draw.normal(1, 1, 3, 2)
        key = draw.place(torch.tensor([1e30, -1e30, 1.0]).reshape(1, 1, 3, 1).expand(1, 1, 3, 2))
        positions = (draw.place(torch.tensor(at), torch.int64) for at in ([5], [6, 5, 7]))
        expect_same(answer.grouped_attention, attend, query, key, value, *positions, teach=teach)


@check("solved")
def only_differences_count(answer: Answer, draw: Draw) -> None:
    teach = "If all positions move alike, nothing may change: the dot product sees only the difference of two angles."
    for case in draw.cases(heads_case, HEADS):
        *tensors, query_positions, key_positions = case
        before = answer.grouped_attention(*tensors, query_positions, key_positions).detach().cpu()
        shift = draw.integer(1, 200)
        after = answer.grouped_attention(*tensors, query_positions + shift, key_positions + shift)
        what = f"the result with all positions moved by {shift}"
        expect_close(after, before, what=what, teach=teach, rtol=1e-2, atol=1e-3)
    note("the same after moving all positions")


@check("solved")
def gradients_are_right(answer: Answer, draw: Draw) -> None:
    for x, positions, _ in draw.cases(vectors, VECTORS[:3]):
        expect_same_gradients(answer.rotate, spin, x, positions)
    for case in draw.cases(heads_case, HEADS[1:4], dtypes=(torch.float64,), repeats=1):
        expect_same_gradients(answer.grouped_attention, attend, *case, rtol=1e-4, atol=1e-5)


@check("solved")
def neighbours_far_out_are_told_apart(answer: Answer, draw: Draw) -> None:
    """Half precision takes position 4,001 for 4,000, and its query would see the future."""
    teach = "Positions are whole numbers: compare them as they are, whatever the dtype of the queries."
    for draw.dtype in (torch.bfloat16, torch.float16):
        query, key, value = draw.normal(1, 2, 4, 4), draw.normal(1, 1, 8, 4), draw.normal(1, 1, 8, 3)
        keys = draw.permutation(8) + FAR
        queries = draw.place(torch.tensor([0, 3, 4, 6]), torch.int64) + FAR
        value[0, 0, keys == FAR + 7] = 900.0  # beyond every query
        case = query, key, value, queries, keys
        expect_same(answer.grouped_attention, attend, *case, teach=teach, rtol=0.1, atol=0.2)

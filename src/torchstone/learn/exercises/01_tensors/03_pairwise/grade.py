"""Grades pairwise: float64 differences as the reference; ops and bytes counted at two sizes."""

import torch
from torch import Tensor

from torchstone.learn.grading import (
    Answer,
    Draw,
    check,
    expect,
    expect_peak_memory,
    expect_same,
    expect_same_ops,
    looks_like,
    unheard,
)

PROMISES = {
    "Errors that are small beside the squared length of the longest point are no harm.": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

FORBIDDEN = dict.fromkeys(
    ("cdist", "pairwise_distance", "pdist", "cdist_forward", "euclidean_dist"),
    "That function is the one you are writing: build it from a matrix product.",
)
SIZES = [(1, 1, 1), (1, 2, 1), (2, 2, 2), (3, 3, 1), (2, 5, 3), (7, 4, 16), (33, 65, 8)]
NOTHING = [(0, 3, 2), (3, 0, 2), (0, 0, 2), (2, 3, 0)]
LARGE = [(9_000, 2, 4), (2, 9_000, 4), (2, 3, 9_000), (130, 140, 3)]
ROUNDING = 2e-4
"""Sums of squares near 30 are rounded in float32 and then nearly cancel."""


@unheard()
def reference(points: Tensor, others: Tensor) -> Tensor:
    return (points.double()[:, None] - others.double()[None]).square().sum(-1).to(points.dtype)


def two_sets(draw: Draw, n: int, m: int, d: int) -> tuple[Tensor, Tensor]:
    return draw.normal(n, d), draw.normal(m, d)


@check("solved")
def distances_are_right(answer: Answer, draw: Draw) -> None:
    rooted = looks_like(
        lambda a, b: reference(a, b).sqrt(), "These are the distances; the task asks for their squares."
    )
    not_crossed = looks_like(
        lambda a, b: (a.square().sum(1) + b.square().sum(1) - 2 * a @ b.mT).clamp(min=0),
        "(n,) + (m,) adds element by element when n = m: one of the two must be a column, (n, 1).",
    )
    teach = "|a − b|² = |a|² + |b|² − 2 a·b, with |a|² along the rows and |b|² along the columns."
    dtypes = (torch.float32, torch.float64)
    for case in draw.cases(two_sets, SIZES, dtypes=dtypes, layouts=("contiguous", "transposed")):
        atol = ROUNDING if case[0].dtype == torch.float32 else None
        expect_same(answer.squared_distances, reference, *case, diagnose=[rooted, not_crossed], teach=teach, atol=atol)
    for case in draw.cases(two_sets, NOTHING, dtypes=dtypes):
        expect_same(
            answer.squared_distances, reference, *case, teach="Without points there is nothing to measure: (n, 0)."
        )


@check("solved")
def never_negative(answer: Answer, draw: Draw) -> None:
    for points, _ in draw.cases(two_sets, [(64, 1, 8), (256, 1, 32)]):
        lowest = answer.squared_distances(points * 10, points * 10).min().item()
        expect(
            lowest >= 0,
            f"the distance of a point to itself came out as {lowest:.3g}, below zero",
            teach="Two large numbers cancel and leave an error of either sign: clamp it, or a later sqrt is NaN.",
        )


@check("solved")
def never_negative_anywhere(answer: Answer, draw: Draw) -> None:
    """In both dtypes, wherever the near pairs stand, and however many points there are."""
    teach = "Clamp every result, in every dtype and of every shape: rounding errors are everywhere."
    sizes = [
        (64, 8, 40),
        (40, 8, 64),
        (1, 16, 300),
        (300, 3, 1),
        (90, 16, 90),
        (120, 3, 120),
        (99, 2, 120),
        (90, 1, 90),
    ]
    for n, d, m in sizes:
        for points, order in draw.cases(
            lambda draw, n, d, m: (draw.normal(max(n, m), d, scale=30.0) + 50, draw.permutation(max(n, m))),
            [(n, d, m)],
            dtypes=(torch.float32, torch.float64),
            repeats=1,
        ):
            for others in (points[order], points[order] * (1 + 1e-15)):
                lowest = answer.squared_distances(points[:n], others[:m].clone()).min().item()
                expect(
                    lowest >= 0,
                    f"among {n} × {m} {points.dtype} distances one is {lowest:.3g}, below zero",
                    teach=teach,
                )


@check("solved")
def small_distances_count(answer: Answer, draw: Draw) -> None:
    teach = (
        "Nothing is added, and no distance is held up: between points near each other it is small, and at one place 0."
    )
    for points, others in draw.cases(two_sets, [(4, 3, 8)], dtypes=(torch.float64,)):
        expect_same(
            answer.squared_distances, reference, points * 1e-6, others * 1e-6, teach=teach, rtol=1e-6, atol=1e-24
        )
    nowhere = draw.normal(2, 3) * 0
    expect_same(answer.squared_distances, reference, nowhere, nowhere.clone(), teach=teach, atol=0)


@check("lean")
def ops_do_not_grow(answer: Answer, draw: Draw) -> None:
    small = two_sets(draw, 8, 12, 4)
    expect_same_ops(answer.squared_distances, small, two_sets(draw, 16, 24, 8))
    for size in LARGE:
        expect_same_ops(answer.squared_distances, small, two_sets(draw, *size))


@check("lean")
def memory_stays_small(answer: Answer, draw: Draw) -> None:
    for n, m, d in ((96, 128, 24), (100, 110, 4)):
        points, others = two_sets(draw, n, m, d)
        expect_peak_memory(
            answer.squared_distances,
            points,
            others,
            at_most_bytes=4 * (3 * n * m + 2 * (n + m) * d),
            compared_with="the budget of three n × m tensors",
            teach="Somewhere n × m × d numbers live at once: the sum over d belongs inside a matrix product.",
        )

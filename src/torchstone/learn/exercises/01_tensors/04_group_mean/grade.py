"""Grades group_mean: a loop over groups as the reference; empty groups, no rows, one group; ops counted."""

import torch
from torch import Tensor

from torchstone.learn.grading import Answer, Draw, check, expect_same, expect_same_ops, looks_like, unheard, when

PROMISES = {
    "`index_reduce`, `scatter_reduce` and `segment_reduce` could do it in one": "means_are_right",
    "The result has the dtype of the values": "means_are_right",
    "What stands in one group, even NaN, is nothing to the others": "large_and_infinite_rows_count",
    "Lean: no Python loop, neither over rows nor over columns or groups.": "ops_do_not_grow",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

FORBIDDEN = dict.fromkeys(
    ("index_reduce", "index_reduce_", "scatter_reduce", "scatter_reduce_", "segment_reduce"),
    "That is the whole task in one call; build the mean from a sum and a count for each group.",
)
SIZES = [(1, 1, 1), (2, 1, 2), (3, 2, 2), (1, 2, 3), (0, 2, 2), (40, 5, 7), (5, 2, 30)]


@unheard()
def reference(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    result = torch.zeros(groups, values.shape[1], dtype=torch.float64)
    for group in labels.unique().tolist():
        result[group] = values.double()[labels == group].mean(0)
    return result.to(values.dtype)


def labelled(draw: Draw, n: int, d: int, groups: int) -> tuple[Tensor, Tensor, int]:
    return draw.normal(n, d), draw.integers(n, high=groups), groups


@check("solved")
def means_are_right(answer: Answer, draw: Draw) -> None:
    summed = looks_like(
        lambda values, labels, groups: values.new_zeros(groups, values.shape[1]).index_add(0, labels, values),
        "These are the sums: divide each by the number of rows in its group.",
    )
    over_all = looks_like(
        lambda values, labels, groups: (
            values.new_zeros(groups, values.shape[1]).index_add(0, labels, values) / max(1, len(labels))
        ),
        "Each sum was divided by the number of all rows; a group has its own count.",
    )
    overwritten = looks_like(
        lambda values, labels, groups: values.new_zeros(groups, values.shape[1]).index_copy(0, labels, values),
        "Of the rows with one label only the last is left: plain indexing writes, index_add_ adds up.",
    )
    empty = when(
        lambda got, expected: bool(got.isnan().any()),
        "An empty group divides 0 by 0: its sum is 0 already, so divide by at least 1.",
    )
    missing = when(
        lambda got, expected: got.shape[0] < expected.shape[0],
        "Groups after the last label are missing: the number of groups is given, the labels don't tell it.",
    )
    dtypes = (torch.float32, torch.float64)
    known = [summed, over_all, overwritten, empty, missing]
    for case in draw.cases(labelled, SIZES, dtypes=dtypes, layouts=("contiguous", "strided")):
        expect_same(answer.group_mean, reference, *case, diagnose=known)


@check("solved")
def large_and_infinite_rows_count(answer: Answer, draw: Draw) -> None:
    far, labels = draw.normal(6, 2), draw.place(torch.tensor([0, 0, 1, 2, 2, 2]), torch.int64)
    far[labels == 0] += 3e7
    teach = "The rows of one group are rounded away beside those of another: add up each group by itself."
    expect_same(answer.group_mean, reference, far, labels, 4, teach=teach)
    values = draw.normal(3, 2)
    values[1, 0] = torch.inf
    teach = "A row with an infinite number has an infinite mean; only an empty group is set to zeros."
    expect_same(answer.group_mean, reference, values, draw.integers(3, high=1), 1, teach=teach)
    for strange in (torch.nan, torch.inf, -torch.inf):
        values[1, 0] = strange
        apart = draw.place(torch.tensor([2, 0, 2]), torch.int64)
        teach = "What stands in one group is nothing to the others: 0 times infinity, or NaN, is NaN."
        expect_same(answer.group_mean, reference, values, apart, 4, teach=teach)
    teach = "A group may have more rows than a byte counts."
    crowd = draw.normal(700, 1), draw.integers(700, high=4) // 3
    expect_same(answer.group_mean, reference, *crowd, 3, teach=teach)
    crowd = draw.normal(3_000, 1) + 1, draw.integers(3_000, high=12) // 11
    teach = "A group may have more rows than half precision counts: it ends at 2,048."
    expect_same(answer.group_mean, reference, *crowd, 3, teach=teach)


@check("solved")
def means_are_exact(answer: Answer, draw: Draw) -> None:
    """What is added to a count, or rounded to float32 on the way, shows in the last digits."""
    teach = "The sum divided by the count, in the dtype of the values: nothing is added to either."
    for dtype, rtol in ((torch.float32, 3e-7), (torch.float64, 1e-14)):
        for values in draw.cases(lambda draw: draw.normal(3, 2), dtypes=(dtype,)):
            alone = draw.place(torch.tensor([2, 0, 5]), torch.int64)
            expect_same(answer.group_mean, reference, values, alone, 7, teach=teach, rtol=rtol, atol=0)
            small = values * 1e-30
            expect_same(answer.group_mean, reference, small, alone, 7, teach=teach, rtol=rtol, atol=0)
    both = draw.place(torch.tensor([[torch.inf, 1.0], [-torch.inf, 2.0], [3.0, 4.0]]))
    teach = "Infinity and minus infinity in one group have no mean: NaN, in that group and column alone."
    labels = draw.place(torch.tensor([1, 1, 0]), torch.int64)
    expect_same(answer.group_mean, reference, both, labels, 3, teach=teach)
    values, scattered = draw.normal(6, 2), draw.integers(6, 2, high=4)[:, 0]
    expect_same(answer.group_mean, reference, values, scattered, 4, teach="Labels need not be contiguous.")


@check("lean")
def ops_do_not_grow(answer: Answer, draw: Draw) -> None:
    small = labelled(draw, 24, 3, 6)
    for size in ((48, 6, 12), (9_000, 3, 6), (24, 3_000, 6), (24, 3, 3_000)):
        expect_same_ops(answer.group_mean, small, labelled(draw, *size))

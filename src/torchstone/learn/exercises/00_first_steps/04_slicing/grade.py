"""Grades slicing: each kata against a slow reference that goes through the table by hand."""

import torch
from torch import Tensor

from torchstone.learn.grading import Answer, Draw, check, expect_same, looks_like

PROMISES = {
    "A small kata: six functions, each one line, on a table (rows": None,
    "Square brackets take a place or a range for each axis": None,
    "table[0] is the first row, table[:, 0] the first column": None,
    "without_border(table) → the table without its first and last": "the_border_is_gone",
    "chosen_rows(table, rows) → the rows that rows, (n,) whole": "chosen_rows_are_right",
    "above(table, limit) → all numbers of the table that are larger": "large_numbers_are_found",
    "There may be none": "large_numbers_are_found",
    "The table stays as it is, and the results have its dtype and": "large_numbers_are_found",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

SIZES = [(1, 1), (1, 3), (2, 3), (3, 2), (5, 4)]
LARGER = [(3, 3), (3, 5), (6, 4)]
OTHER_DTYPES = (
    torch.float64,
    torch.float16,
    torch.bfloat16,
    torch.int32,
    torch.uint8,
    torch.int8,
    torch.int16,
    torch.int64,
)
KNOBS = {"dtypes": (torch.float32, torch.int64), "layouts": ("contiguous", "strided", "transposed")}


def table(draw: Draw, rows: int, columns: int) -> Tensor:
    """Different numbers everywhere, so that no part can be mistaken for another."""
    return draw.place(torch.randperm(rows * columns, generator=draw.generator).view(rows, columns) - columns)


def table_and_rows(draw: Draw, rows: int, columns: int) -> tuple[Tensor, Tensor]:
    return table(draw, rows, columns), draw.integers(draw.integer(0, 4), high=rows)


def table_and_limit(draw: Draw, rows: int, columns: int) -> tuple[Tensor, float]:
    return table(draw, rows, columns), draw.choice([-100.0, -2.5, -0.5, 0.0, 2.0, 2.5, 100.0])


def stack(numbers: list, like: Tensor) -> Tensor:
    return torch.stack(numbers) if numbers else like.new_empty(0)


def pick_above(table: Tensor, limit: float) -> Tensor:
    return stack([number for row in table for number in row if number > limit], table)


@check("solved")
def first_rows_are_right(answer: Answer, draw: Draw) -> None:
    for one in draw.cases(table, SIZES, **KNOBS):
        expect_same(answer.first_row, lambda t: torch.stack([t[0, c] for c in range(t.shape[1])]), one)


@check("solved")
def last_columns_are_right(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(lambda t: t[-1], "That is the last row: the first place in the brackets is for rows, table[:, …]."),
        looks_like(lambda t: t[:, -1:], "A range keeps its axis: (rows, 1). A single place, -1, drops it."),
        looks_like(lambda t: t[:, 0], "That is the first column: -1 is the last place."),
    ]
    for one in draw.cases(table, SIZES, **KNOBS):
        expect_same(answer.last_column, lambda t: torch.stack([row[len(row) - 1] for row in t]), one, diagnose=known)


@check("solved")
def every_other_row_is_there(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(lambda t: t[1::2], "Those are the rows 1, 3, 5, …: begin at 0."),
        looks_like(lambda t: t[:, ::2], "Those are columns: the first place in the brackets is for rows."),
        looks_like(lambda t: t[:2], "Those are the first two rows; the step comes after the second colon, ::2."),
    ]
    for one in draw.cases(table, SIZES, **KNOBS):
        expect_same(
            answer.every_other_row,
            lambda t: torch.stack([t[row] for row in range(0, len(t), 2)]),
            one,
            diagnose=known,
        )


@check("solved")
def the_border_is_gone(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(lambda t: t[1:-1], "The first and last column are still there: a range for each axis."),
        looks_like(lambda t: t[1:-1][1:-1], "A second pair of brackets cuts the rows again: write [1:-1, 1:-1]."),
        looks_like(lambda t: t[1:, 1:], "The last row and column are still there: a range can end at -1."),
    ]
    for one in draw.cases(table, LARGER, **KNOBS):
        rows, columns = one.shape
        expect_same(
            answer.without_border,
            lambda t, r=rows, c=columns: torch.stack(
                [torch.stack([t[i, j] for j in range(1, c - 1)]) for i in range(1, r - 1)]
            ),
            one,
            diagnose=known,
        )


@check("solved")
def chosen_rows_are_right(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(lambda t, rows: t[rows.sort().values], "The rows come in the order that was asked for, unsorted."),
        looks_like(lambda t, rows: t[rows.unique()], "A row that is named twice comes twice."),
    ]
    for one, rows in draw.cases(table_and_rows, SIZES, repeats=3, **KNOBS):
        expect_same(
            answer.chosen_rows,
            lambda t, rows: torch.stack([t[row] for row in rows.tolist()]) if len(rows) else t[:0],
            one,
            rows,
            diagnose=known,
        )
    narrow = draw.place(torch.tensor([2, 0, 2]), torch.int32)
    teach = "Whole numbers may be int32, too: square brackets take both, gather takes int64 alone."
    expect_same(answer.chosen_rows, lambda t, rows: t[rows.long()], table(draw, 4, 3), narrow, teach=teach)


@check("solved")
def large_numbers_are_found(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(lambda t, limit: t > limit, "That is where they are, True or False; put it into square brackets."),
        looks_like(lambda t, limit: t[t >= limit], "A number that equals the limit is not larger."),
        looks_like(lambda t, limit: t.mT[limit < t.mT], "That reads down the columns: go along the rows."),
    ]
    for one, limit in draw.cases(table_and_limit, SIZES, repeats=3, **KNOBS):
        expect_same(answer.above, pick_above, one, limit, diagnose=known)
    for limit in (-1.5, -0.5, 0.5, 1.5):
        whole = draw.place(torch.arange(-4, 5).view(3, 3), torch.int64)
        expect_same(answer.above, pick_above, whole, limit, teach="The limit may lie between two whole numbers.")


@check("solved")
def every_dtype_is_kept(answer: Answer, draw: Draw) -> None:
    """Bytes, halves, and whole numbers that no float can hold."""
    teach = "Every number comes back as it is, in the table's own dtype."
    for dtype in OTHER_DTYPES:
        one = draw.place(torch.randperm(30, generator=draw.generator).view(6, 5), dtype)
        if dtype == torch.int64:
            one += 2**60
        if dtype == torch.float64:
            one += one / 7 * 1e-9
        expect_same(answer.first_row, lambda t: t[0].clone(), one, teach=teach, rtol=0, atol=0)
        expect_same(answer.last_column, lambda t: t[:, 4].clone(), one, teach=teach, rtol=0, atol=0)
        expect_same(answer.every_other_row, lambda t: t[[0, 2, 4]], one, teach=teach, rtol=0, atol=0)
        expect_same(answer.without_border, lambda t: t[1:5, 1:4].clone(), one, teach=teach, rtol=0, atol=0)
        rows = draw.place(torch.tensor([5, 0, 5]), torch.int64)
        expect_same(answer.chosen_rows, lambda t, rows: t[rows], one, rows, teach=teach, rtol=0, atol=0)
        expect_same(answer.above, pick_above, one, 11.0, teach=teach, rtol=0, atol=0)


@check("solved")
def close_numbers_are_told_apart(answer: Answer, draw: Draw) -> None:
    """Numbers that another dtype would round to the limit, and those that cannot be compared with it."""
    steps = torch.randperm(12, generator=draw.generator).view(4, 3)
    teach = "Compare the table as it is, table > limit: in another dtype close numbers become equal."
    for start in (2**24, 2**31, 2**53, 2**60):
        whole = draw.place(start + steps, torch.int64)
        expect_same(answer.above, pick_above, whole, start + 5, teach=teach, rtol=0, atol=0)
    for dtype, step in ((torch.float64, 2.0**-50), (torch.float32, 2.0**-22)):
        for close in draw.cases(lambda draw, step: draw.place(1 + steps * step, draw.dtype), [step], dtypes=(dtype,)):
            limit = 1 + 5 * step
            expect_same(answer.above, pick_above, close, limit, teach=teach, rtol=0, atol=0)
    floats = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
    equal = torch.tensor([[0.3, 0.5], [2.7, -0.1]], dtype=torch.float64)
    teach = "table > limit rounds the limit as the table's floats are: a 0.3 in the table is not larger than 0.3."
    for rounded in draw.cases(lambda draw: draw.place(equal, draw.dtype), dtypes=floats):
        for limit in (0.3, 2.7, -0.1):
            expect_same(answer.above, pick_above, rounded, limit, teach=teach, rtol=0, atol=0)
    strange = [[torch.nan, 1.0, torch.inf], [-torch.inf, torch.nan, -2.0], [0.5, -0.0, 3e38]]
    teach = "NaN is not larger than anything, and what stands in one row is nothing to the others."
    for limit in (-3.0, 0.0, 1.0, torch.inf, -torch.inf):
        expect_same(answer.above, pick_above, draw.place(torch.tensor(strange)), limit, teach=teach, rtol=0, atol=0)
    rows = draw.place(torch.tensor([2, 0, 2]), torch.int64)
    odd = draw.place(torch.tensor(strange))
    expect_same(answer.chosen_rows, lambda t, rows: torch.stack([t[2], t[0], t[2]]), odd, rows, teach=teach)
    long, far = draw.normal(40_000, 1), draw.place(torch.tensor([39_999, 0, 300]), torch.int64)
    expect_same(answer.chosen_rows, lambda t, rows: torch.cat([t[-1:], t[:1], t[300:301]]), long, far, teach=teach)

"""Grades broadcasting: loops as references; square shapes, where a wrong axis raises no error, come along."""

import torch
from torch import Tensor

from torchstone.learn.grading import Answer, Draw, check, expect, expect_same, expect_same_ops, looks_like, watch_call

PROMISES = {
    "PyTorch writes their shapes below each other from the right; an": None,
    "row, (columns,), is added to each row of table, (rows, columns)": "rows_are_added",
    "gaps(a, b): for a, (n,), and b, (m,), the table (n, m) of all": "gaps_are_right",
    "to_shares(table): each number divided by the sum of its column": "shares_are_right",
    "The sums are not 0": None,
    "The inputs of a call have one dtype, floats or int64": "whole_numbers_stay_whole",
    "Infinity and NaN reach only the results": "strange_numbers_stay_in_their_place",
    "The inputs stay as they are; results have their dtype and are on": "whole_numbers_stay_whole",
    "Lean: no Python loop": "no_loops",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

TABLES = [(1, 1), (2, 3), (3, 2), (3, 3), (1, 4), (4, 1)]
PAIRS = [(1, 1), (2, 3), (3, 3), (1, 4), (4, 1)]
PHOTOS = [(1, 1, 1), (2, 3, 3), (3, 3, 3), (2, 4, 5)]
KNOBS = {"dtypes": (torch.float32, torch.float64), "layouts": ("contiguous", "strided")}
FROM_THE_RIGHT = "Shapes line up from the right: weights must be (rows, 1) to meet each row, weights[:, None]."


def table_and_row(draw: Draw, rows: int, columns: int) -> tuple[Tensor, Tensor]:
    return draw.normal(rows, columns), draw.normal(columns)


def table_and_weights(draw: Draw, rows: int, columns: int) -> tuple[Tensor, Tensor]:
    return draw.normal(rows, columns), draw.normal(rows)


def two_rows(draw: Draw, n: int, m: int) -> tuple[Tensor, Tensor]:
    return draw.normal(n), draw.normal(m)


def positive_table(draw: Draw, rows: int, columns: int) -> Tensor:
    return draw.uniform(rows, columns, low=0.5, high=2.0)


def signed_table(draw: Draw, rows: int, columns: int) -> Tensor:
    """Columns whose sum is far below or above 0, with numbers of both signs in them."""
    table = positive_table(draw, rows, columns) * draw.place(
        torch.tensor([draw.choice([-1, 1]) for _ in range(columns)])
    )
    if rows > 2:
        table[0] *= -0.3
    return table


def photos_and_colour(draw: Draw, count: int, height: int, width: int) -> tuple[Tensor, Tensor]:
    return draw.uniform(count, 3, height, width, low=0.1), draw.uniform(3, low=0.1)


def whole(*tensors: Tensor) -> list[Tensor]:
    """Most of them so large that even float64 would round them, and none that would overflow in a sum of two."""
    return [(one * 1000).to(torch.int64) * (2**49 + 1) for one in tensors]


def loop_gaps(a: Tensor, b: Tensor) -> Tensor:
    return torch.stack([torch.stack([(x - y).abs() for y in b]) for x in a])


def loop_tint(photos: Tensor, colour: Tensor) -> Tensor:
    return torch.stack([torch.stack([photo[c] * colour[c] for c in range(3)]) for photo in photos])


@check("solved")
def rows_are_added(answer: Answer, draw: Draw) -> None:
    for case in draw.cases(table_and_row, TABLES, **KNOBS):
        expect_same(answer.add_row, lambda table, row: torch.stack([one + row for one in table]), *case)


@check("solved")
def rows_are_scaled(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(lambda table, weights: table * weights, f"That scales the columns. {FROM_THE_RIGHT}"),
        looks_like(lambda table, weights: table + weights[:, None], "That adds; the weights are factors."),
    ]
    for table, weights in draw.cases(table_and_weights, TABLES, **KNOBS):
        expect_same(
            answer.scale_rows,
            lambda table, weights: torch.stack([row * weight for row, weight in zip(table, weights, strict=True)]),
            table,
            weights,
            diagnose=known,
            teach=FROM_THE_RIGHT,
        )


@check("solved")
def gaps_are_right(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(lambda a, b: (a - b).abs(), "That is a[i] − b[i], number by number; give a an axis: a[:, None]."),
        looks_like(lambda a, b: loop_gaps(b, a), "Rows and columns changed places: a goes down, b goes along."),
        looks_like(lambda a, b: a[:, None] - b, "A distance has no sign: take .abs()."),
        looks_like(lambda a, b: (a[:, None] - b).square(), "Those are squares; the task asks for |a[i] − b[j]|."),
    ]
    for a, b in draw.cases(two_rows, PAIRS, **KNOBS):
        digits = {"rtol": 1e-13, "atol": 0} if a.dtype == torch.float64 else {}
        expect_same(answer.gaps, loop_gaps, a, b, diagnose=known, teach="(n, 1) and (m,) meet as (n, m).", **digits)


@check("solved")
def shares_are_right(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(lambda t: t / t.sum(), "That is the share of the whole table."),
        looks_like(
            lambda t: t / t.sum(1, keepdim=True), "Each row adds up to 1 now: dim names the axis that is summed."
        ),
        looks_like(lambda t: t / t.sum(1), "The sums of the rows met the columns: sum over dim=0."),
        looks_like(lambda t: t.softmax(0), "softmax takes exponentials; here it is only a division."),
    ]
    tables = [*draw.cases(positive_table, TABLES, **KNOBS), *draw.cases(signed_table, TABLES, **KNOBS)]
    for table in tables:
        expect_same(
            answer.to_shares,
            lambda t: torch.stack([column / column.double().sum().to(t.dtype) for column in t.T], dim=1),
            table,
            diagnose=known,
            teach="Each number is divided by the sum of its own column.",
        )


@check("solved")
def colours_are_right(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(lambda p, c: p * c, "colour met the width, the last axis: it must be (3, 1, 1)."),
        looks_like(lambda p, c: p * c[:, None], "colour met the height: one more axis behind it, (3, 1, 1)."),
        looks_like(lambda p, c: p * c[:, None, None, None], "colour met the photographs: (3, 1, 1) is enough."),
    ]
    teach = "The colours are the third axis from the right, so colour must be (3, 1, 1)."
    for photos, colour in draw.cases(photos_and_colour, PHOTOS, **KNOBS):
        expect_same(answer.tint, loop_tint, photos, colour, diagnose=known, teach=teach)


@check("solved")
def whole_numbers_stay_whole(answer: Answer, draw: Draw) -> None:
    teach = "Whole numbers in, whole numbers out, exact to the last digit: no division, no root, no float on the way."
    for rows, columns in ((3, 2), (1, 1), (3, 3)):
        table, row = whole(*table_and_row(draw, rows, columns))
        expect_same(
            answer.add_row, lambda table, row: torch.stack([one + row for one in table]), table, row, teach=teach
        )
        weights = draw.integers(rows, low=-3, high=4)
        by_hand = lambda t, w: torch.stack([row * one for row, one in zip(t, w, strict=True)])  # noqa: E731
        expect_same(answer.scale_rows, by_hand, table, weights, teach=teach)
        expect_same(answer.gaps, loop_gaps, *whole(*two_rows(draw, rows, columns)), teach=teach)
        photos, colour = draw.integers(2, 3, rows, columns, low=-9, high=2**54), draw.integers(3, low=-9, high=9)
        expect_same(answer.tint, loop_tint, photos, colour, teach=teach)


def loop_scale(table: Tensor, weights: Tensor) -> Tensor:
    return torch.stack([row * weight for row, weight in zip(table, weights, strict=True)])


def loop_shares(table: Tensor) -> Tensor:
    return torch.stack([column / column.double().sum().to(table.dtype) for column in table.T], dim=1)


@check("solved")
def every_float_dtype_is_kept(answer: Answer, draw: Draw) -> None:
    """Halves stay halves, and no digit of a float64 is lost on a way through float32."""
    dtypes = (torch.float64, torch.float16, torch.bfloat16)
    jobs = [
        (answer.add_row, lambda table, row: torch.stack([one + row for one in table]), table_and_row, (3, 4)),
        (answer.scale_rows, loop_scale, table_and_weights, (3, 4)),
        (answer.gaps, loop_gaps, two_rows, (3, 4)),
        (answer.to_shares, loop_shares, lambda draw, n, m: (positive_table(draw, n, m),), (3, 4)),
        (answer.tint, loop_tint, photos_and_colour, (2, 3, 4)),
    ]
    for function, by_hand, make, size in jobs:
        for case in draw.cases(make, [size], dtypes=dtypes, repeats=1):
            exact = {"rtol": 1e-13, "atol": 0} if case[0].dtype == torch.float64 else {}
            expect_same(
                function, by_hand, *case, teach="Results have the dtype of the inputs, and its digits.", **exact
            )


@check("solved")
def strange_numbers_stay_in_their_place(answer: Answer, draw: Draw) -> None:
    """Infinity and NaN in one row, column or colour: a matrix product would carry them everywhere, as 0 · inf."""
    teach = "Each result is made of its own two numbers: what stands elsewhere, infinity or NaN, is nothing to it."
    for strange in (torch.inf, torch.nan):
        table, weights = table_and_weights(draw, 3, 4)
        table[1, 2] = strange
        expect_same(answer.scale_rows, loop_scale, table, weights, teach=teach)
        expect_same(answer.to_shares, loop_shares, table, teach=teach)
        row = draw.normal(4)
        expect_same(answer.add_row, lambda t, row: torch.stack([one + row for one in t]), table, row, teach=teach)
        weights[0] = strange
        expect_same(answer.scale_rows, loop_scale, table, weights, teach=teach)
        a, b = two_rows(draw, 3, 4)
        a[1] = strange
        expect_same(answer.gaps, loop_gaps, a, b, teach=teach)
        photos, colour = photos_and_colour(draw, 2, 3, 4)
        photos[1, 0, 2, 3] = strange
        colour[2] = strange
        expect_same(answer.tint, loop_tint, photos, colour, teach=teach)


@check("lean")
def no_loops(answer: Answer, draw: Draw) -> None:
    for n, m in ((6, 8), (3_000, 4), (4, 3_000)):
        expect_same_ops(answer.add_row, table_and_row(draw, 3, 4), table_and_row(draw, n, m))
        expect_same_ops(answer.scale_rows, table_and_weights(draw, 3, 4), table_and_weights(draw, n, m))
        expect_same_ops(answer.gaps, two_rows(draw, 3, 4), two_rows(draw, n, m))
        expect_same_ops(answer.to_shares, (positive_table(draw, 3, 4),), (positive_table(draw, n, m),))
        expect_same_ops(answer.tint, photos_and_colour(draw, 2, 3, 4), photos_and_colour(draw, n, 3, m // 2))


SHAPING = {"unsqueeze", "slice", "view", "_unsafe_view", "reshape", "expand", "permute", "transpose", "alias"}
"""Ops that only look at a tensor in another way: three in a row are no loop."""


@check("lean")
def no_loop_over_the_colours(answer: Answer, draw: Draw) -> None:
    """There are always three of them, so a loop would not grow: it shows as an op that runs three times."""
    seen = watch_call(answer.tint, *photos_and_colour(draw, 2, 4, 5))
    often = {name: times for name, times in seen.ops.items() if times > 2 and name not in SHAPING}
    said = ", ".join(f"{name} ran {times} times" for name, times in often.items())
    expect(not often, f"in tint {said}: once for each colour", teach="colour[:, None, None] meets all planes at once.")

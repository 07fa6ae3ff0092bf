"""Grades hello_tensor: lists of whole numbers and fractions, flat and as tables."""

import torch
from torch import Tensor

from torchstone.learn.grading import Answer, Draw, check, expect, expect_close, expect_same, looks_like, raw, watch_call

PROMISES = {
    "Everything in PyTorch is a tensor: a block of numbers that all": None,
    "Its type (its dtype) is always torch.float32, even if every": "tensors_are_right",
    "add_up(numbers) returns the sum of all numbers in such a list": "sums_are_right",
    "Let the tensor add, not Python": "a_tensor_adds",
    "Save this file: it is graded at once, and you see the first": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

SIZES: list[tuple[int, ...]] = [(1,), (3,), (1, 1), (1, 3), (3, 1), (2, 3), (7,), (0,), (2, 0)]
"""Tables of one row or one column are tables, too."""
LONG = 300
FLOAT = "The sum of a tensor is a tensor with one number; .item() takes it out as a Python number."
ADDED_BY_PYTHON = "Let the tensor do the adding: make_tensor(numbers).sum() is one call, however long the list is."


def whole_numbers(draw: Draw, *shape: int) -> list:
    return draw.integers(*shape, low=-9, high=10).tolist()


def fractions(draw: Draw, *shape: int) -> list:
    """Eighths, which float32 holds without rounding."""
    return (draw.integers(*shape, low=-80, high=80).double() / 8).tolist()


def large_numbers(draw: Draw, *shape: int) -> list:
    """More than half precision holds, and their sum is still exact in float32."""
    return draw.integers(*shape, low=-40_000, high=40_000).tolist()


def as_tensor(numbers: list) -> Tensor:
    return torch.tensor(numbers, dtype=torch.float64).float()


def total(numbers: list) -> float:
    return float(torch.tensor(numbers, dtype=torch.float64).sum())


@check("solved")
def tensors_are_right(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(torch.tensor, "A list of whole numbers becomes int64 by itself: say dtype=torch.float32."),
        looks_like(lambda numbers: torch.zeros(1), "That is still the starter's tensor: hand it the numbers."),
    ]
    for make in (fractions, whole_numbers):
        for numbers in draw.cases(make, SIZES):
            expect_same(answer.make_tensor, as_tensor, numbers, diagnose=known)
    expect_same(answer.make_tensor, as_tensor, large_numbers(draw, LONG), diagnose=known)


@check("solved")
def sums_are_right(answer: Answer, draw: Draw) -> None:
    for make in (fractions, whole_numbers):
        for numbers in draw.cases(make, SIZES):
            got = answer.add_up(numbers)
            expect(
                type(got) is float,
                f"add_up returned a {type(got).__name__}, not a float",
                teach=FLOAT,
            )
            expect_same(answer.add_up, total, numbers, teach="Add all the numbers, in every row.")
    expect_same(answer.add_up, total, large_numbers(draw, LONG), teach="Add all the numbers, as float32.")
    for numbers in ([1] * 2_001, whole_numbers(draw, LONG, 2), [3e30, 1.0], [float("inf"), 2.0]):
        got = raw(answer.add_up)(numbers)
        expect(type(got) is float, f"add_up returned a {type(got).__name__}, not a float", teach=FLOAT)
        expect_close(got, total(numbers), what=f"the sum of {len(numbers):,} numbers", teach="Add all the numbers.")
    unknown = answer.add_up([1.0, float("nan"), 2.0])
    expect(
        unknown != unknown, f"1 + NaN + 2 came out as {unknown}", teach="NaN is unknown, and so is every sum with it."
    )


ADDING = ("sum", "nansum", "mean", "cumsum", "dot", "vdot", "mv", "mm", "addmv", "einsum")
"""Ops in which torch adds the numbers up."""


@check("solved")
def a_tensor_adds(answer: Answer, draw: Draw) -> None:
    seen = watch_call(answer.add_up, fractions(draw, 5))
    expect(any(seen.ops[name] for name in ADDING), "no tensor was asked for its sum", teach=ADDED_BY_PYTHON)
    few, many = (watch_call(answer.add_up, fractions(draw, n), count_lines=True) for n in (4, 2_500))
    grown = many.python.total() - few.python.total()
    expect(grown <= 2, f"{grown} more lines of Python run for 2,500 numbers than for 4", teach=ADDED_BY_PYTHON)


@check("solved")
def the_dtype_is_always_float32(answer: Answer, draw: Draw) -> None:
    """Also where someone has told torch to make other floats by default."""
    before = torch.get_default_dtype()
    try:
        for dtype in (torch.float64, torch.float16):
            torch.set_default_dtype(dtype)
            for make in (fractions, whole_numbers):
                teach = f"torch's default dtype was {dtype}: always means dtype=torch.float32, whatever the default."
                expect_same(answer.make_tensor, as_tensor, make(draw, 3), teach=teach)
    finally:
        torch.set_default_dtype(before)

"""Answers of two calls: what no rounding explains is told, what changes by itself is not compared."""

from itertools import count
from typing import Any

import numpy as np
import pytest
import torch

from torchstone.measuring.agreeing import ALIKE, MOST_VALUES, Answers

ONES = torch.ones(3, 4)


def told(a: list[Any], b: list[Any]) -> str:
    answers = Answers({"a": "A", "b": "B"})
    for key, given in (("a", a), ("b", b)):
        for output in given:
            answers.take(key, output)
    return answers.words()


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (ONES, ONES * (1 + 1e-4)),
        (ONES, ONES.to(torch.bfloat16) * 1.05),
        (ONES, ONES.t().contiguous().t()),
        ((ONES, 2), [ONES, 2]),
        ({"x": ONES}, {"x": ONES}),
        (torch.tensor([float("nan"), 1.0]), torch.tensor([float("nan"), 1.0])),
        (torch.ones(0), torch.ones(0)),
        ("x", "x"),
        (1.0, torch.tensor(1.0)),
        (ONES > 0, ONES > 0),
        (torch.arange(3), torch.arange(3)),
    ],
)
def test_alike(a: object, b: object) -> None:
    assert told([a, a], [b, b]) == ALIKE


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        (ONES, torch.empty(1), r"shape (3, 4) against (1,)"),
        (ONES, ONES * 1.01, "values that are 0.01 apart, where the largest of the first is 1"),
        (ONES, ONES * 0, "values that are 1 apart"),
        (ONES * 0, ONES, "values that are 1 apart"),
        (torch.arange(3), torch.arange(3) + 1, "values that are 1 apart"),
        (ONES, ONES * float("nan"), "NaN or infinity in one of them only"),
        (ONES, (ONES, ONES), "1 values against 2"),
        ({"x": ONES}, [ONES.flatten()], "shape (3, 4) against (12,)"),
        (3, 4, "values that are 1 apart"),
        ("x", "y", "another string"),
        ("x", 1, "another string"),
    ],
)
def test_different(a: object, b: object, words: str) -> None:
    assert told([a], [b]).startswith(f"they give different answers: {words}")


def test_answers_that_change_are_told_by_their_shape() -> None:
    assert "different answers: shape (3, 4) against (1,)" in told([ONES, ONES], [torch.ones(1), torch.zeros(1)])


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        ([None], [ONES], "A returns nothing"),
        ([ONES], [np.ones(3)], "B gives a ndarray"),
        ([ONES, ONES * 2], [ONES], "those of A change from call to call"),
        ([ONES], [ONES, ONES * 2], "those of B change from call to call"),
        ([ONES], [], "one of them gave none"),
        ([ONES], [ONES.to_sparse()], "B gives a tensor that can't be looked at"),
    ],
)
def test_not_compared(a: list[object], b: list[object], words: str) -> None:
    assert told(a, b).startswith(f"their answers were not compared: {words}")


def test_an_answer_is_kept_as_it_was() -> None:
    """Calls may write all their answers into the same memory."""
    memory, turns = torch.zeros(2), count(1)

    def give() -> torch.Tensor:
        return memory.fill_(next(turns))

    answers = Answers({"a": "A", "b": "B"})
    for key in "aabb":
        answers.take(key, give())
    assert "those of A change from call to call" in answers.words()


def test_of_a_large_tensor_values_of_all_parts_are_compared() -> None:
    large = torch.zeros(3 * MOST_VALUES)
    other = large.clone()
    other[-MOST_VALUES:] = 1.0
    assert "1 apart" in told([large], [other])

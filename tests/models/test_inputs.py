"""Nested inputs are moved whole; tensors are found in whatever a model returns."""

from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import torch

from torchstone.models.inputs import Inputs, move, move_inputs, tensors_in


@dataclass
class Output:
    """As some models return."""

    logits: torch.Tensor
    note: str


def test_dtype_changes_floating_point_alone() -> None:
    inputs = Inputs(
        (torch.ones(2), [torch.ones(2, dtype=torch.int64)]), {"mask": torch.ones(2, dtype=torch.bool), "n": 3}
    )
    moved = move_inputs(inputs, "meta", torch.bfloat16)
    assert moved.args[0].dtype is torch.bfloat16
    assert moved.args[1][0].dtype is torch.int64
    assert moved.kwargs["mask"].dtype is torch.bool
    assert moved.kwargs["mask"].device.type == "meta"
    assert moved.kwargs["n"] == 3


def test_named_tuples_stay_named() -> None:
    pair: Any = namedtuple("pair", "left right")
    moved = move(pair(torch.ones(1), None), "meta")
    assert type(moved) is pair
    assert moved.right is None


def test_tensors_are_found_in_order() -> None:
    one, two, three = (torch.full((1,), float(number)) for number in range(3))
    nested = {"a": one, "b": [two, "text", None, Output(three, "x")]}
    assert [float(tensor) for tensor in tensors_in(nested)] == [0.0, 1.0, 2.0]
    assert tensors_in(object()) == []

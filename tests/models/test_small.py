"""The small models take any size."""

import pytest
import torch

from torchstone.models.inputs import Inputs
from torchstone.models.small import load_convnet, load_transformer, transformer_inputs
from torchstone.models.target import Target


def call(target: Target, inputs: Inputs) -> torch.Tensor:
    with torch.no_grad():
        output: torch.Tensor = target.model(*inputs.args)
    return output


@pytest.mark.parametrize(("batch", "side"), [(1, 6), (3, 17)])
def test_the_convolutional_one(batch: int, side: int) -> None:
    target = load_convnet(batch=batch, side=side)
    assert call(target, target.inputs).shape == (batch, 10)


@pytest.mark.parametrize(("batch", "length"), [(1, 1), (5, 33)])
def test_the_transformer(batch: int, length: int) -> None:
    assert call(load_transformer(), transformer_inputs(batch, length)).shape == (batch, length, 32)


def test_the_same_seed_gives_the_same_model() -> None:
    inputs = transformer_inputs(2, 4)
    assert torch.equal(call(load_transformer(3), inputs), call(load_transformer(3), inputs))

"""The receptive field of one output place, read from gradients."""

import torch
from torch import Tensor, nn


def influence(net: nn.Module, image: Tensor, row: int, column: int) -> Tensor:
    """(height, width): how strongly each pixel acts on the output at (row, column), over all channels."""
    # TODO: the gradient of one place of the output in every pixel
    raise NotImplementedError("influence")


def receptive_field(
    net: nn.Module, channels: int, height: int, width: int, row: int, column: int
) -> tuple[int, int, int, int]:
    """(top, left, bottom, right), all included, of the pixels that can act on the output at (row, column)."""
    # TODO: where is the influence not zero, for a net whose ReLUs are all open?
    raise NotImplementedError("receptive_field")

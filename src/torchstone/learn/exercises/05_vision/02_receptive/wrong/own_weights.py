# rejected by: rectangles_are_right or inner_padding_sees_nothing or any_weights_count
"""The receptive field of one output place, read from gradients."""

import copy

import torch
from torch import Tensor, nn


def influence(net: nn.Module, image: Tensor, row: int, column: int) -> Tensor:
    """(height, width): how strongly each pixel acts on the output at (row, column), over all channels."""
    leaf = image.detach().clone().requires_grad_()
    place = net(leaf[None])[0, :, row, column].sum()
    # grad() hands the gradient over; backward() would add to .grad of every parameter as well.
    (gradient,) = torch.autograd.grad(place, leaf)
    return gradient.abs().sum(0)


def receptive_field(
    net: nn.Module, channels: int, height: int, width: int, row: int, column: int
) -> tuple[int, int, int, int]:
    """(top, left, bottom, right), all included, of the pixels that can act on the output at (row, column)."""
    # With positive weights and pixels every ReLU is open and no two ways through the net can cancel.
    open_net = copy.deepcopy(net)
    ones = next(open_net.parameters()).new_ones(channels, height, width)
    seen = influence(open_net, ones, row, column) > 0
    rows, columns = seen.any(1).nonzero(), seen.any(0).nonzero()
    return int(rows[0]), int(columns[0]), int(rows[-1]), int(columns[-1])

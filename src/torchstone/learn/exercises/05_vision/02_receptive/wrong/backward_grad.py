# rejected by: influence_is_right: What has gathered in
# "the .grad of its parameters … stay as they were": backward() leaves gradients in the parameters
"""The receptive field of one output place, read from gradients."""

import copy

import torch
from torch import Tensor, nn


def influence(net: nn.Module, image: Tensor, row: int, column: int) -> Tensor:
    """(height, width): how strongly each pixel acts on the output at (row, column), over all channels."""
    point = image.detach().clone().requires_grad_()
    score = net(point[None])[0, :, row, column].sum()
    score.backward()
    return point.grad.abs().sum(0)


def receptive_field(
    net: nn.Module, channels: int, height: int, width: int, row: int, column: int
) -> tuple[int, int, int, int]:
    """(top, left, bottom, right), all included, of the pixels that can act on the output at (row, column)."""
    open_net = nn.Sequential(*[copy.deepcopy(layer) for layer in net if not isinstance(layer, nn.ReLU)])
    open_net = open_net.to("cpu", torch.float64)
    with torch.no_grad():
        for parameter in open_net.parameters():
            parameter.fill_(1.0)
    seen = influence(open_net, torch.zeros(channels, height, width, dtype=torch.float64), row, column) > 0
    rows, columns = seen.any(1).nonzero(), seen.any(0).nonzero()
    return int(rows[0]), int(columns[0]), int(rows[-1]), int(columns[-1])

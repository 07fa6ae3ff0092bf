# rejected by: influence_is_right: What has gathered in .grad is the caller's,
# gradients that the parameters had before are gone; 'its weights, the `.grad` of its parameters and the image stay as
# they were'
"""The receptive field of one output place, read from gradients."""

import copy

import torch
from torch import Tensor, nn


def influence(net: nn.Module, image: Tensor, row: int, column: int) -> Tensor:
    """(height, width): how strongly each pixel acts on the output at (row, column), over all channels."""
    with torch.enable_grad():
        pixels = image.detach().clone().requires_grad_()
        output = net(pixels.clone()[None])
        output[0, :, row, column].sum().backward()
    net.zero_grad()
    return pixels.grad.abs().sum(0)


def receptive_field(
    net: nn.Module, channels: int, height: int, width: int, row: int, column: int
) -> tuple[int, int, int, int]:
    """(top, left, bottom, right), all included, of the pixels that can act on the output at (row, column)."""
    open_net = copy.deepcopy(net).cpu().double()
    with torch.no_grad():
        for module in open_net.modules():
            if isinstance(module, nn.Conv2d):
                module.weight.fill_(1 / module.weight[0].numel())
                if module.bias is not None:
                    module.bias.zero_()
    seen = influence(open_net, torch.ones(channels, height, width, dtype=torch.float64), row, column) > 0
    rows, columns = seen.any(1).nonzero(), seen.any(0).nonzero()
    return int(rows[0]), int(columns[0]), int(rows[-1]), int(columns[-1])

# rejected by: influence_is_right: What has gathered in .grad is the caller's,
# "its weights, the `.grad` of its parameters and the image stay as they were": what stood in the parameters' .grad
# before is gone
"""The receptive field of one output place, read from gradients."""

import copy

import torch
from torch import Tensor, nn


def influence(net: nn.Module, image: Tensor, row: int, column: int) -> Tensor:
    """(height, width): how strongly each pixel acts on the output at (row, column), over all channels."""
    pixels = image.detach().clone().requires_grad_()
    place = net(pixels[None] * 1)[0, :, row, column].sum()
    place.backward()
    net.zero_grad()
    return pixels.grad.abs().sum(0)


def receptive_field(
    net: nn.Module, channels: int, height: int, width: int, row: int, column: int
) -> tuple[int, int, int, int]:
    """(top, left, bottom, right), all included, of the pixels that can act on the output at (row, column)."""
    opened = copy.deepcopy(net).double()
    with torch.no_grad():
        for name, weight in opened.named_parameters():
            weight.fill_(0 if name.endswith("bias") else 1 / weight[0].numel())
    pixels = torch.ones(
        channels, height, width, dtype=torch.float64, device=next(iter(net.parameters()), torch.ones(())).device
    )
    seen = influence(opened, pixels, row, column) > 0
    rows, columns = seen.any(1).nonzero().flatten().tolist(), seen.any(0).nonzero().flatten().tolist()
    return rows[0], columns[0], rows[-1], columns[-1]

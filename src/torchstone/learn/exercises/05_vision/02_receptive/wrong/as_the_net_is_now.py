# rejected by: rectangles_are_right or inner_padding_sees_nothing or any_weights_count
# "for some image and some weights, not only for those the net has now": random images through the real net, whose
# ReLUs are closed in places and whose weights may be 0
import copy

import torch
from torch import Tensor, nn


def influence(net: nn.Module, image: Tensor, row: int, column: int) -> Tensor:
    """(height, width): how strongly each pixel acts on the output at (row, column), over all channels."""

    pixels = image.detach().clone().requires_grad_()
    with torch.enable_grad():
        goal = net(pixels[None])[0, :, row, column].sum()
        (gradient,) = torch.autograd.grad(goal, pixels)
    return gradient.abs().sum(0)


def receptive_field(
    net: nn.Module, channels: int, height: int, width: int, row: int, column: int
) -> tuple[int, int, int, int]:
    """(top, left, bottom, right), all included, of the pixels that can act on the output at (row, column)."""

    first = next(net.parameters(), torch.zeros(()))
    seen = torch.zeros(height, width, device=first.device)
    for _ in range(5):
        image = torch.randn(channels, height, width, dtype=first.dtype, device=first.device)
        seen += influence(net, image, row, column)
    rows, columns = seen.sum(1).nonzero().flatten(), seen.sum(0).nonzero().flatten()
    return int(rows[0]), int(columns[0]), int(rows[-1]), int(columns[-1])

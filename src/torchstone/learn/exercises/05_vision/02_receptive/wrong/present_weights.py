# rejected by: rectangles_are_right: RuntimeError
# "for some image and some weights, not only for those the net has now": the rectangle is read with the net's own
# weights and closed ReLUs
"""The receptive field of one output place, read from gradients."""

import torch
from torch import Tensor, nn


def influence(net: nn.Module, image: Tensor, row: int, column: int) -> Tensor:
    """(height, width): how strongly each pixel acts on the output at (row, column), over all channels."""
    with torch.enable_grad():
        leaf = image.detach().clone().requires_grad_()
        place = net(leaf[None])[0, :, row, column].sum()
        (slope,) = torch.autograd.grad(place, leaf)
    return slope.abs().sum(0)


def _pair(value: int | tuple[int, int]) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else tuple(value)


def _chain(net: nn.Module) -> list[nn.Module]:
    return [module for module in net.modules() if isinstance(module, (nn.Conv2d, nn.AvgPool2d))]


def receptive_field(
    net: nn.Module, channels: int, height: int, width: int, row: int, column: int
) -> tuple[int, int, int, int]:
    """(top, left, bottom, right), all included, of the pixels that can act on the output at (row, column)."""
    rows, columns = influence(net, torch.ones(channels, height, width), row, column).nonzero().unbind(1)
    return int(rows.min()), int(columns.min()), int(rows.max()), int(columns.max())


def _geometry(layer: nn.Module, axis: int) -> tuple[int, int, int, int]:
    dilation = _pair(layer.dilation)[axis] if isinstance(layer, nn.Conv2d) else 1
    if isinstance(layer.padding, str):
        total = dilation * (_pair(layer.kernel_size)[axis] - 1)
        padding = total // 2 if layer.padding == "same" else 0
    else:
        padding = _pair(layer.padding)[axis]
    return _pair(layer.kernel_size)[axis], _pair(layer.stride)[axis], padding, dilation

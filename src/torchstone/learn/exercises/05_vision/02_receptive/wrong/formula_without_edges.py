# rejected by: rectangles_are_right: Padding is not part of the image
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
    box = [row, column, row, column]
    for layer in reversed(list(net)):
        if isinstance(layer, nn.ReLU):
            continue
        pairs = [
            value if isinstance(value, tuple) else (value, value)
            for value in (layer.kernel_size, layer.stride, layer.padding, getattr(layer, "dilation", 1))
        ]
        for axis in (0, 1):
            kernel, stride, padding, dilation = (pair[axis] for pair in pairs)
            box[axis] = box[axis] * stride - padding
            box[axis + 2] = box[axis + 2] * stride - padding + (kernel - 1) * dilation
    return tuple(box)

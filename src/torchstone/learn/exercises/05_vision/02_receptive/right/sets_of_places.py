# earns: solved
# walks back through the layers with the set of rows and of columns
"""The receptive field of one output place, read from gradients."""

import torch
from torch import Tensor, nn


def influence(net: nn.Module, image: Tensor, row: int, column: int) -> Tensor:
    """(height, width): how strongly each pixel acts on the output at (row, column), over all channels."""
    point = image.detach().clone().requires_grad_()
    score = net(point[None])[0, :, row, column].sum()
    (gradient,) = torch.autograd.grad(score, point)
    return gradient.abs().sum(0)


def taps(layer: nn.Module, axis: int, places: set[int], size: int) -> set[int]:
    """The places of a layer's input, along one axis, that act on these places of its output."""

    def along(value):
        return value[axis] if isinstance(value, tuple) else value

    kernel, stride = along(layer.kernel_size), along(layer.stride)
    dilation, before = 1, 0
    if isinstance(layer, nn.Conv2d):
        dilation = along(layer.dilation)
        if layer.padding == "same":
            before = dilation * (kernel - 1) // 2
        elif layer.padding != "valid":
            before = along(layer.padding)
    found = {place * stride - before + tap * dilation for place in places for tap in range(kernel)}
    return {one for one in found if 0 <= one < size}


def receptive_field(
    net: nn.Module, channels: int, height: int, width: int, row: int, column: int
) -> tuple[int, int, int, int]:
    """(top, left, bottom, right), all included, of the pixels that can act on the output at (row, column)."""
    rows, columns = {row}, {column}
    sizes = [(height, width)]
    with torch.no_grad():
        x = torch.zeros(1, channels, height, width, device=next(iter([*net.parameters(), torch.zeros(())])).device)
        for layer in net:
            x = layer(x)
            sizes.append(tuple(x.shape[2:]))
    for layer, size in zip(reversed(list(net)), reversed(sizes[:-1])):
        if isinstance(layer, nn.ReLU):
            continue
        rows, columns = (taps(layer, axis, places, size[axis]) for axis, places in enumerate((rows, columns)))
    return min(rows), min(columns), max(rows), max(columns)

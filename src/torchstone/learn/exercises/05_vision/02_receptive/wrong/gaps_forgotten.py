# rejected by: edges_and_faint_pixels_count: A closed ReLU or weights that happen to cancel hide pixels that could
# cuts the interval to the map in each layer but forgets that a dilated kernel has gaps; Conv(3, padding 1, dilation
# 3) at row 0 sees rows 2 and 5, here the top is 0
"""The receptive field of one output place, read from gradients."""

import torch
from torch import Tensor, nn


def influence(net: nn.Module, image: Tensor, row: int, column: int) -> Tensor:
    """(height, width): how strongly each pixel acts on the output at (row, column), over all channels."""
    with torch.enable_grad():
        batch = image.detach()[None].clone().requires_grad_()
        goal = net(batch)[0, :, row, column].sum()
    (gradient,) = torch.autograd.grad(goal, batch)
    return gradient[0].abs().sum(0)


def _pair(value: object) -> tuple[int, int]:
    if value == "valid":
        return 0, 0
    return (value, value) if isinstance(value, int) else tuple(value)  # type: ignore


def receptive_field(
    net: nn.Module, channels: int, height: int, width: int, row: int, column: int
) -> tuple[int, int, int, int]:
    """(top, left, bottom, right), all included, of the pixels that can act on the output at (row, column)."""
    layers = []
    for layer in net:
        if isinstance(layer, nn.Conv2d):
            layers.append(tuple(map(_pair, (layer.kernel_size, layer.stride, layer.padding, layer.dilation))))
        elif isinstance(layer, nn.AvgPool2d):
            layers.append((_pair(layer.kernel_size), _pair(layer.stride), (0, 0), (1, 1)))
    ends = []
    for axis, (size, place) in enumerate(((height, row), (width, column))):
        sizes = [size]
        for kernel, stride, padding, dilation in layers:
            reach = dilation[axis] * (kernel[axis] - 1) + 1
            sizes.append((sizes[-1] + 2 * padding[axis] - reach) // stride[axis] + 1)
        seen = {place % sizes[-1]}
        for (kernel, stride, padding, dilation), size in zip(reversed(layers), sizes[-2::-1]):
            starts = [at * stride[axis] - padding[axis] for at in seen]
            first = max(min(starts), 0)
            last = min(max(starts) + dilation[axis] * (kernel[axis] - 1), size - 1)
            seen = {first, last}
        ends.append((min(seen), max(seen)))
    (top, bottom), (left, right) = ends
    return top, left, bottom, right

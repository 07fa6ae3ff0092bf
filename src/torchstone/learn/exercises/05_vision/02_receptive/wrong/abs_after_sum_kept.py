# rejected by: influence_is_right: Channels of opposite sign cancel: take the absolute
# the gradient is summed over the channels first and made absolute afterwards
"""The receptive field of one output place, read from gradients."""

import torch
from torch import Tensor, nn


def influence(net: nn.Module, image: Tensor, row: int, column: int) -> Tensor:
    """(height, width): how strongly each pixel acts on the output at (row, column), over all channels."""
    with torch.enable_grad():
        leaf = image.detach().clone().requires_grad_()
        output = net(leaf.clone()[None])
        (gradient,) = torch.autograd.grad(output[0, :, row, column].sum(), leaf)
    return gradient.sum(0).abs()


def _pair(value) -> tuple[int, int]:
    if value == "valid":
        return (0, 0)
    return (value, value) if isinstance(value, int) else tuple(value)


def receptive_field(
    net: nn.Module, channels: int, height: int, width: int, row: int, column: int
) -> tuple[int, int, int, int]:
    """(top, left, bottom, right), all included, of the pixels that can act on the output at (row, column)."""
    ends = []
    for axis, (size, place) in enumerate([(height, row), (width, column)]):
        steps = []
        for layer in net:
            if isinstance(layer, nn.ReLU):
                continue
            kernel, stride = _pair(layer.kernel_size)[axis], _pair(layer.stride)[axis]
            padding = _pair(layer.padding)[axis]
            dilation = _pair(layer.dilation)[axis] if isinstance(layer, nn.Conv2d) else 1
            steps.append((size, kernel, stride, padding, dilation))
            size = (size + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1
        seen = {place}
        for before, kernel, stride, padding, dilation in reversed(steps):
            reached = {p * stride - padding + k * dilation for p in seen for k in range(kernel)}
            seen = {p for p in reached if 0 <= p < before}
        ends.append((min(seen), max(seen)))
    (top, bottom), (left, right) = ends
    return top, left, bottom, right

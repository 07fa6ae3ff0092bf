# rejected by: rectangles_are_right: bottom and right are the last row and column that count
# "the last row and column included": bottom and right are one past the end
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
    layers = _chain(net)
    found = []
    for axis, (size, place) in enumerate(((height, row), (width, column))):
        sizes = [size]
        for layer in layers:
            kernel, stride, padding, dilation = _geometry(layer, axis)
            span = dilation * (kernel - 1) + 1
            room = sizes[-1] + 2 * padding - span
            if getattr(layer, "ceil_mode", False):
                count = -(-room // stride) + 1
                if (count - 1) * stride >= sizes[-1] + padding:
                    count -= 1
            else:
                count = room // stride + 1
            sizes.append(count)
        seen = {place}
        for layer, before in zip(reversed(layers), reversed(sizes[:-1]), strict=True):
            kernel, stride, padding, dilation = _geometry(layer, axis)
            seen = {
                at
                for one in seen
                for step in range(kernel)
                if 0 <= (at := one * stride - padding + step * dilation) < before
            }
        found.append((min(seen), max(seen)))
    (top, bottom), (left, right) = found
    return top, left, bottom + 1, right + 1


def _geometry(layer: nn.Module, axis: int) -> tuple[int, int, int, int]:
    dilation = _pair(layer.dilation)[axis] if isinstance(layer, nn.Conv2d) else 1
    if isinstance(layer.padding, str):
        total = dilation * (_pair(layer.kernel_size)[axis] - 1)
        padding = total // 2 if layer.padding == "same" else 0
    else:
        padding = _pair(layer.padding)[axis]
    return _pair(layer.kernel_size)[axis], _pair(layer.stride)[axis], padding, dilation

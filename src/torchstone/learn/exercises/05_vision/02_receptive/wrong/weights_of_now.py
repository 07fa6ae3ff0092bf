# rejected by: any_weights_count: A closed ReLU or weights that happen to cancel hide pixels
# a pixel whose weights happen to be zero now is called unseen; 'for some image and some weights, not only for those
# the net has now'
"""The receptive field of one output place, read from gradients."""

import copy

import torch
from torch import Tensor, nn


def influence(net: nn.Module, image: Tensor, row: int, column: int) -> Tensor:
    """(height, width): how strongly each pixel acts on the output at (row, column), over all channels."""
    with torch.enable_grad():
        point = image.detach().clone().requires_grad_()
        place = net(point[None])[0, :, row, column].sum()
        (gradient,) = torch.autograd.grad(place, point)
    return gradient.abs().sum(0)


def pair(value) -> tuple:
    return tuple(value) if isinstance(value, (tuple, list)) else (value, value)


def receptive_field(
    net: nn.Module, channels: int, height: int, width: int, row: int, column: int
) -> tuple[int, int, int, int]:
    """(top, left, bottom, right), all included, of the pixels that can act on the output at (row, column)."""
    chain: list[tuple[nn.Module, tuple[int, int]]] = []
    twin = copy.deepcopy(net)
    for module in twin.modules():
        if isinstance(module, nn.ReLU):
            module.forward = lambda x: x
    like = next(iter(net.parameters()), torch.zeros(()))
    blank = torch.zeros(channels, height, width, dtype=like.dtype, device=like.device)
    places = influence(twin, blank, row, column).nonzero()
    if len(places):
        low, high = places.amin(0).tolist(), places.amax(0).tolist()
        return low[0], low[1], high[0], high[1]
    for module in twin.modules():
        if isinstance(module, (nn.Conv2d, nn.AvgPool2d)):
            module.register_forward_pre_hook(lambda one, inputs: chain.append((one, tuple(inputs[0].shape[-2:]))))
    like = next(iter(net.parameters()), torch.zeros(()))
    with torch.no_grad():
        twin(torch.zeros(1, channels, height, width, dtype=like.dtype, device=like.device))
    seen = [{row}, {column}]
    for module, size in reversed(chain):
        kernel, stride = pair(module.kernel_size), pair(module.stride)
        dilation = pair(getattr(module, "dilation", 1))
        padding = module.padding
        if padding == "same":
            padding = [d * (k - 1) // 2 for d, k in zip(dilation, kernel, strict=True)]
        elif padding == "valid":
            padding = 0
        padding = pair(padding)
        for axis in range(2):
            touched = {
                place * stride[axis] - padding[axis] + tap * dilation[axis]
                for place in seen[axis]
                for tap in range(kernel[axis])
            }
            seen[axis] = {place for place in touched if 0 <= place < size[axis]}
    rows, columns = seen
    rows, columns = {r for r in rows if 0 <= r < height}, {c for c in columns if 0 <= c < width}
    return min(rows), min(columns), max(rows), max(columns)

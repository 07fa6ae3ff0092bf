# rejected by: edges_and_faint_pixels_count: A closed ReLU or weights that happen to cancel hide pixels that could
# "the smallest rectangle": the interval is cut at the image's edge, though with a dilated kernel (rows −1, 1, 3) the
# edge row itself is not seen
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

    def pair(value):
        return value if isinstance(value, tuple) else (value, value)

    first, last = [row, column], [row, column]
    for module in reversed(list(net.modules())):
        if isinstance(module, (nn.Conv2d, nn.AvgPool2d)):
            size, stride, padding = map(pair, (module.kernel_size, module.stride, module.padding))
            spread = pair(getattr(module, "dilation", 1))
            for k in (0, 1):
                first[k] = first[k] * stride[k] - padding[k]
                last[k] = last[k] * stride[k] - padding[k] + spread[k] * (size[k] - 1)
    return max(first[0], 0), max(first[1], 0), min(last[0], height - 1), min(last[1], width - 1)

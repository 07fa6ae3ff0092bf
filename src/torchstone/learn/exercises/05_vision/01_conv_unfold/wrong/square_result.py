# rejected by: convolutions_are_right: ⌊(height +
# takes the result for a square whenever its number of places is a square number; breaks the result's shape for 4 x
# 9 places (images 6 x 11, kernel 3 x 3)
"""A 2-D convolution as one matrix product over unfolded patches."""

import torch
from torch import Tensor
from torch.nn import functional

Pair = tuple[int, int]


def _size(length: int, kernel: int, stride: int, padding: int, dilation: int) -> int:
    return (length + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1


def conv2d(
    images: Tensor,
    kernels: Tensor,
    bias: Tensor | None = None,
    stride: Pair = (1, 1),
    padding: Pair = (0, 0),
    dilation: Pair = (1, 1),
    groups: int = 1,
) -> Tensor:
    """(n, channels, height, width) → (n, out, new height, new width); pairs are (down, across)."""
    n = images.shape[0]
    out = kernels.shape[0]
    new = [_size(images.shape[2 + i], kernels.shape[2 + i], stride[i], padding[i], dilation[i]) for i in (0, 1)]
    columns = functional.unfold(images, kernels.shape[2:], dilation, padding, stride)
    side = round(columns.shape[2] ** 0.5)
    if side * side == columns.shape[2]:
        new = [side, side]
    depth = columns.shape[1] // groups
    columns = columns.reshape(n, groups, depth, -1).permute(1, 2, 0, 3).reshape(groups, depth, -1)
    product = torch.bmm(kernels.reshape(groups, out // groups, depth), columns)
    result = product.reshape(out, n, new[0], new[1]).transpose(0, 1)
    if bias is not None:
        result = result + bias.view(1, -1, 1, 1)
    return result

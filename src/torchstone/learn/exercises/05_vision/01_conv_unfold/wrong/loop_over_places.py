# rejected by: ops_do_not_grow: a loop over groups
"""A 2-D convolution as one matrix product over unfolded patches."""

import torch
from torch import Tensor
from torch.nn import functional

Pair = tuple[int, int]


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
    (down, across), (high, wide) = stride, kernels.shape[2:]
    padded = functional.pad(images, (padding[1], padding[1], padding[0], padding[0]))
    rows = (padded.shape[2] - dilation[0] * (high - 1) - 1) // down + 1
    columns = (padded.shape[3] - dilation[1] * (wide - 1) - 1) // across + 1
    result = 0
    for i in range(high):
        for j in range(wide):
            top, left = i * dilation[0], j * dilation[1]
            seen = padded[:, :, top : top + down * rows : down, left : left + across * columns : across]
            seen = seen[:, :, :rows, :columns].unflatten(1, (groups, -1))
            weights = kernels[:, :, i, j].unflatten(0, (groups, -1))
            result = result + torch.einsum("goc,ngchw->ngohw", weights, seen).flatten(1, 2)
    return result if bias is None else result + bias[:, None, None]

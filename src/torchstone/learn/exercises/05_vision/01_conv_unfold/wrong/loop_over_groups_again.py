# rejected by: ops_do_not_grow: A loop over groups
# "the number of operations is the same however many images, pixels, channels, groups … there are": one product for
# each group
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
    n, channels = images.shape[:2]
    out, _, high, wide = kernels.shape
    down, across = (
        (images.shape[2 + i] + 2 * padding[i] - dilation[i] * (kernels.shape[2 + i] - 1) - 1) // stride[i] + 1
        for i in range(2)
    )
    columns = functional.unfold(images, (high, wide), dilation=dilation, padding=padding, stride=stride)
    parts = [
        kernel.flatten(1) @ column
        for kernel, column in zip(kernels.chunk(groups), columns.chunk(groups, dim=1), strict=True)
    ]
    result = torch.cat(parts, dim=1).reshape(n, out, down, across)
    if bias is not None:
        result = result + bias[:, None, None]
    return result

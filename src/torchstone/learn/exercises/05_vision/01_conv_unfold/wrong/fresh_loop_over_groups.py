# rejected by: ops_do_not_grow: A loop over groups, images or kernel places pays for each of
# one product for each group; 'the number of operations is the same however many images, pixels, channels, groups and
# kernel places there are'
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
    n, channels, height, width = images.shape
    out, _, tall, wide = kernels.shape
    down = (height + 2 * padding[0] - dilation[0] * (tall - 1) - 1) // stride[0] + 1
    across = (width + 2 * padding[1] - dilation[1] * (wide - 1) - 1) // stride[1] + 1
    columns = functional.unfold(images, (tall, wide), dilation=dilation, padding=padding, stride=stride)
    columns = columns.reshape(n, groups, channels // groups * tall * wide, down * across)
    rows = kernels.reshape(groups, out // groups, channels // groups * tall * wide)
    result = torch.cat([rows[group] @ columns[:, group] for group in range(groups)], dim=1).reshape(
        n, out, down, across
    )
    return result if bias is None else result + bias[:, None, None]

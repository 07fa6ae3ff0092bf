# rejected by: ops_do_not_grow: A loop over groups, images or kernel places
# a Python loop over the groups, so the number of operations grows with them
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
    n, _, height, width = images.shape
    out, _, kh, kw = kernels.shape
    new_height = (height + 2 * padding[0] - dilation[0] * (kh - 1) - 1) // stride[0] + 1
    new_width = (width + 2 * padding[1] - dilation[1] * (kw - 1) - 1) // stride[1] + 1
    columns = functional.unfold(images, (kh, kw), dilation=dilation, padding=padding, stride=stride)
    runs = columns.chunk(groups, 1)
    matrix = kernels.reshape(groups, out // groups, -1)
    result = torch.cat([part @ run for part, run in zip(matrix, runs)], 1).reshape(n, out, new_height, new_width)
    if bias is not None:
        result = result + bias[:, None, None]
    return result

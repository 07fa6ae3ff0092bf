# rejected by: ops_do_not_grow: A loop over groups
# "the number of operations is the same however many images, pixels, channels, groups and kernel places there are": a
# product for each group
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
    out, _, *places = kernels.shape
    columns = functional.unfold(images, places, dilation=dilation, padding=padding, stride=stride)
    columns = columns.unflatten(1, (groups, -1))
    matrix = kernels.reshape(groups, out // groups, -1)
    result = torch.cat([matrix[group] @ columns[:, group] for group in range(groups)], dim=1)
    if bias is not None:
        result = result + bias[:, None]
    sizes = [
        (images.shape[axis + 2] + 2 * padding[axis] - dilation[axis] * (places[axis] - 1) - 1) // stride[axis] + 1
        for axis in (0, 1)
    ]
    return result.unflatten(2, sizes)

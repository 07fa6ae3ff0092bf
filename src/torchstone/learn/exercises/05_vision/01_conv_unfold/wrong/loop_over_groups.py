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
    size = kernels.shape[2:]
    places = [
        (images.shape[2 + axis] + 2 * padding[axis] - dilation[axis] * (size[axis] - 1) - 1) // stride[axis] + 1
        for axis in (0, 1)
    ]
    results = []
    for part, filters in zip(images.chunk(groups, 1), kernels.chunk(groups, 0), strict=True):
        columns = functional.unfold(part, size, dilation, padding, stride)
        results.append((filters.flatten(1) @ columns).unflatten(2, places))
    result = torch.cat(results, 1)
    return result if bias is None else result + bias[:, None, None]

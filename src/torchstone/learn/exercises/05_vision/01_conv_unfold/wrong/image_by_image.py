# rejected by: ops_do_not_grow: A loop over groups, images or kernel places pays for each of
# above 64 images they are done in parts; 'the number of operations is the same however many images'
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
    # A kernel reaches over dilation · (size − 1) + 1 pixels; what is left over gives one more place per stride.
    places = [
        (images.shape[2 + axis] + 2 * padding[axis] - dilation[axis] * (size[axis] - 1) - 1) // stride[axis] + 1
        for axis in (0, 1)
    ]
    if len(images) > 64:
        return torch.cat([conv2d(part, kernels, bias, stride, padding, dilation, groups) for part in images.split(64)])
    columns = functional.unfold(images, size, dilation, padding, stride)
    # A column is sorted by channel first, so cutting it into equal runs is cutting the channels into groups.
    columns = columns.unflatten(1, (groups, -1))
    rows = kernels.reshape(groups, kernels.shape[0] // groups, columns.shape[2])
    result = (rows @ columns).flatten(1, 2).unflatten(2, places)
    return result if bias is None else result + bias[:, None, None]

# rejected by: nothing_reaches_other_places: Each output sees its own patch of its own run of channels
# "the first run of outputs sees only the first run of channels": a dense kernel with zeros between the groups, so
# that an infinity or NaN in one group spoils all outputs
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
    owner = torch.arange(out, device=images.device) // (out // groups)
    source = torch.arange(channels, device=images.device) // (channels // groups)
    dense = kernels.repeat(1, groups, 1, 1) * (owner[:, None] == source)[:, :, None, None]
    result = (dense.flatten(1) @ columns).reshape(n, out, down, across)
    if bias is not None:
        result = result + bias[:, None, None]
    return result

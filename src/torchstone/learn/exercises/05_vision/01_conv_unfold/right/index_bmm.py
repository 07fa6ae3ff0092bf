# earns: solved lean
# patches by index tensors, one batched product over the groups with baddbmm for the bias
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
    out, depth, high, wide = kernels.shape
    n = images.shape[0]
    padded = functional.pad(images, (padding[1], padding[1], padding[0], padding[0]))
    tall = (padded.shape[2] - dilation[0] * (high - 1) - 1) // stride[0] + 1
    long = (padded.shape[3] - dilation[1] * (wide - 1) - 1) // stride[1] + 1
    device = images.device
    rows = torch.arange(high, device=device)[:, None] * dilation[0] + torch.arange(tall, device=device) * stride[0]
    cols = torch.arange(wide, device=device)[:, None] * dilation[1] + torch.arange(long, device=device) * stride[1]
    patches = padded[:, :, rows[:, None, :, None], cols[None, :, None, :]]
    patches = patches.reshape(n, groups, depth * high * wide, tall * long)
    patches = patches.permute(1, 2, 0, 3).reshape(groups, depth * high * wide, n * tall * long)
    start = images.new_zeros(out) if bias is None else bias
    result = torch.baddbmm(start.view(groups, -1, 1), kernels.reshape(groups, out // groups, -1), patches)
    return result.view(out, n, tall, long).transpose(0, 1).contiguous()

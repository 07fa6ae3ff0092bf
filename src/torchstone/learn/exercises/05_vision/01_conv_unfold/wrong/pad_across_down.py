# rejected by: convolutions_are_right: A column of unfold is one patch
# functional.pad counts from the last axis, here it is given (down, down, across, across); breaks 'first down and
# then across' with padding (1, 0)
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
    tall, wide = kernels.shape[2:]
    padded = functional.pad(images, (padding[0], padding[0], padding[1], padding[1]))
    windows = padded.unfold(2, dilation[0] * (tall - 1) + 1, stride[0])
    windows = windows.unfold(3, dilation[1] * (wide - 1) + 1, stride[1])
    windows = windows[..., :: dilation[0], :: dilation[1]]  # (n, channels, new height, new width, tall, wide)
    windows = windows.unflatten(1, (groups, -1))
    filters = kernels.unflatten(0, (groups, -1))
    result = torch.einsum("ngchwij,gocij->ngohw", windows, filters).flatten(1, 2)
    return result if bias is None else result + bias[:, None, None]

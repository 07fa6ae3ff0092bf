# rejected by: convolutions_are_right: A column of unfold is one patch, sorted by channel, then row,
# outputs are dealt out to the groups in turn; promised: "the first run of outputs sees only the first run of
# channels, and so on"
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
    down, across = kernels.shape[2:]
    images = functional.pad(images, (padding[1], padding[1], padding[0], padding[0]))
    windows = images.unfold(2, dilation[0] * (down - 1) + 1, stride[0])
    windows = windows.unfold(3, dilation[1] * (across - 1) + 1, stride[1])
    windows = windows[..., :: dilation[0], :: dilation[1]]  # (n, channels, h, w, down, across)
    windows = windows.unflatten(1, (groups, -1))
    runs = kernels.unflatten(0, (-1, groups))
    result = torch.einsum("ngchwij,ogcij->noghw", windows, runs).flatten(1, 2)
    return result if bias is None else result + bias[:, None, None]

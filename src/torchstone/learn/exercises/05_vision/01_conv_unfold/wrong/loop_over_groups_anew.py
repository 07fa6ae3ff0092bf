# rejected by: ops_do_not_grow: A loop over groups
# one product for each group, so the ops grow with groups (groups=8 against 2)
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
    padded = functional.pad(images, (padding[1], padding[1], padding[0], padding[0]))
    windows = padded.unfold(2, dilation[0] * (tall - 1) + 1, stride[0])
    windows = windows.unfold(3, dilation[1] * (wide - 1) + 1, stride[1])
    windows = windows[..., :: dilation[0], :: dilation[1]]  # (n, channels, new height, new width, tall, wide)
    pairs = zip(windows.chunk(groups, 1), kernels.chunk(groups, 0), strict=True)
    result = torch.cat([torch.einsum("nchwij,ocij->nohw", part, some) for part, some in pairs], 1)
    return result if bias is None else result + bias[:, None, None]

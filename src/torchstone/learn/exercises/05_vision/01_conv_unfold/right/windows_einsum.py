# earns: solved lean
# padded by hand, windows by Tensor.unfold and slices, and one einsum
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
    out, _, high, wide = kernels.shape
    padded = functional.pad(images, (padding[1], padding[1], padding[0], padding[0]))
    windows = padded.unfold(2, dilation[0] * (high - 1) + 1, stride[0]).unfold(
        3, dilation[1] * (wide - 1) + 1, stride[1]
    )
    windows = windows[..., :: dilation[0], :: dilation[1]].unflatten(1, (groups, -1))
    split = kernels.unflatten(0, (groups, out // groups))
    result = torch.einsum("ngcyxhw,gochw->ngoyx", windows, split).flatten(1, 2)
    return result if bias is None else result + bias.view(-1, 1, 1)

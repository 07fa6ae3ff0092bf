# earns: solved lean
# Tensor.unfold windows instead of functional.unfold, and one einsum
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
    (pad_down, pad_across), (high, wide) = padding, kernels.shape[2:]
    padded = functional.pad(images, (pad_across, pad_across, pad_down, pad_down))
    windows = padded.unfold(2, dilation[0] * (high - 1) + 1, stride[0]).unfold(
        3, dilation[1] * (wide - 1) + 1, stride[1]
    )
    windows = windows[..., :: dilation[0], :: dilation[1]].unflatten(1, (groups, -1))
    result = torch.einsum("ngcyxij,gocij->ngoyx", windows, kernels.unflatten(0, (groups, -1))).flatten(1, 2)
    return result if bias is None else result + bias.view(-1, 1, 1)

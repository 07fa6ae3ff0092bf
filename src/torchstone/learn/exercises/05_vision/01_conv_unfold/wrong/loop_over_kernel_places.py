# rejected by: ops_do_not_grow: A loop over groups
# "however many ... kernel places there are": one shifted product is added for each place of the kernel
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

    out, inner, down, across = kernels.shape
    padded = functional.pad(images, (padding[1], padding[1], padding[0], padding[0])).unflatten(1, (groups, inner))
    height = (padded.shape[3] - dilation[0] * (down - 1) - 1) // stride[0] + 1
    width = (padded.shape[4] - dilation[1] * (across - 1) - 1) // stride[1] + 1
    weights = kernels.unflatten(0, (groups, out // groups))
    result = images.new_zeros(len(images), groups, out // groups, height, width)
    for i in range(down):
        for j in range(across):
            top, left = i * dilation[0], j * dilation[1]
            seen = padded[..., top :: stride[0], left :: stride[1]][..., :height, :width]
            result = result + torch.einsum("ngchw,goc->ngohw", seen, weights[..., i, j])
    result = result.flatten(1, 2)
    return result if bias is None else result + bias[:, None, None]

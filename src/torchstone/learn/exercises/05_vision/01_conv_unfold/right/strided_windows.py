# earns: solved lean
# padded, seen as windows by as_strided, one einsum
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

    n, channels, height, width = images.shape
    out, inner, down, across = kernels.shape
    padded = functional.pad(images, (padding[1], padding[1], padding[0], padding[0])).contiguous()
    rows = (height + 2 * padding[0] - dilation[0] * (down - 1) - 1) // stride[0] + 1
    columns = (width + 2 * padding[1] - dilation[1] * (across - 1) - 1) // stride[1] + 1
    a, b, c, d = padded.stride()
    windows = padded.as_strided(
        (n, groups, inner, rows, columns, down, across),
        (a, b * inner, b, c * stride[0], d * stride[1], c * dilation[0], d * dilation[1]),
    )
    weights = kernels.reshape(groups, out // groups, inner, down, across)
    result = torch.einsum("ngchwij,gocij->ngohw", windows, weights).reshape(n, out, rows, columns)
    return result if bias is None else result + bias.reshape(1, out, 1, 1)

# earns: solved lean
# windows by as_strided over a padded copy, then one product
"""A 2-D convolution as one matrix product over unfolded patches."""

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
    up, side = padding
    padded = functional.pad(images, (side, side, up, up)).contiguous()
    n, channels, height, width = padded.shape
    out, _, tall, wide = kernels.shape
    down = (height - dilation[0] * (tall - 1) - 1) // stride[0] + 1
    across = (width - dilation[1] * (wide - 1) - 1) // stride[1] + 1
    windows = padded.as_strided(
        (n, channels, tall, wide, down, across),
        (
            channels * height * width,
            height * width,
            width * dilation[0],
            dilation[1],
            width * stride[0],
            stride[1],
        ),
    )
    each = channels // groups * tall * wide
    product = kernels.reshape(groups, out // groups, each).matmul(windows.reshape(n, groups, each, down * across))
    result = product.reshape(n, out, down, across)
    if bias is not None:
        result = result + bias.reshape(1, out, 1, 1)
    return result

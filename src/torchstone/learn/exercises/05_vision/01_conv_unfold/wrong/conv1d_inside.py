# rejected by: convolutions_are_right: That function is the one you are writing: unfold the patches and
# the product is a built-in convolution of width 1; 'The built-in convolutions are ruled out'
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
    n, channels, height, width = images.shape
    out, _, tall, wide = kernels.shape
    down = (height + 2 * padding[0] - dilation[0] * (tall - 1) - 1) // stride[0] + 1
    across = (width + 2 * padding[1] - dilation[1] * (wide - 1) - 1) // stride[1] + 1
    columns = functional.unfold(images, (tall, wide), dilation=dilation, padding=padding, stride=stride)
    rows = kernels.reshape(out, channels // groups * tall * wide, 1)
    result = functional.conv1d(columns, rows, groups=groups).reshape(n, out, down, across)
    return result if bias is None else result + bias[:, None, None]

# rejected by: convolutions_are_right: A column of unfold is one patch, sorted by channel, then row
# with one channel a group and several outputs a group, output i sees channel i mod channels; 'the first run of
# outputs sees only the first run of channels, and so on'
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
    if groups == channels and groups > 1:
        columns = columns.reshape(n, channels, tall * wide, down * across).repeat(1, out // channels, 1, 1)
        result = (columns * kernels.reshape(out, tall * wide, 1)).sum(2).reshape(n, out, down, across)
        return result if bias is None else result + bias[:, None, None]
    columns = columns.reshape(n, groups, channels // groups * tall * wide, down * across)
    rows = kernels.reshape(groups, out // groups, channels // groups * tall * wide)
    result = (rows @ columns).reshape(n, out, down, across)
    return result if bias is None else result + bias[:, None, None]

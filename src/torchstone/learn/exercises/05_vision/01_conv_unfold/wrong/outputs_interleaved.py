# rejected by: convolutions_are_right: A column of unfold is one patch
# "and so do the outputs: the first run of outputs sees only the first run of channels": outputs of the groups
# alternate
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

    n = len(images)
    out, _, *size = kernels.shape
    columns = functional.unfold(images, size, dilation=dilation, padding=padding, stride=stride)
    columns = columns.unflatten(1, (groups, -1))
    weights = kernels.reshape(out // groups, groups, -1).transpose(0, 1)
    result = (weights @ columns).transpose(1, 2).flatten(1, 2)
    if bias is not None:
        result = result + bias[:, None]
    new = [(images.shape[2 + k] + 2 * padding[k] - dilation[k] * (size[k] - 1) - 1) // stride[k] + 1 for k in (0, 1)]
    return result.reshape(n, out, *new)

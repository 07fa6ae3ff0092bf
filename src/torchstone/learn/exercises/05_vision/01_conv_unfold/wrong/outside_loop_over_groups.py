# rejected by: ops_do_not_grow: A loop over groups
# "the number of operations is the same however many ... groups": one product for each group
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
    parts = zip(kernels.flatten(1).chunk(groups), columns.chunk(groups, dim=1))
    result = torch.cat([weight @ part for weight, part in parts], dim=1)
    if bias is not None:
        result = result + bias[:, None]
    new = [(images.shape[2 + k] + 2 * padding[k] - dilation[k] * (size[k] - 1) - 1) // stride[k] + 1 for k in (0, 1)]
    return result.reshape(n, out, *new)

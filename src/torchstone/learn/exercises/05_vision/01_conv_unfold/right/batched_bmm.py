# earns: solved lean
# nn.Unfold, one bmm over the groups with images side by side, nn.Fold back
import torch
from torch import Tensor
from torch.nn import functional

Pair = tuple[int, int]
from torch import nn


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

    n, out = images.size(0), kernels.size(0)
    size = tuple(kernels.shape[-2:])
    columns = nn.Unfold(size, dilation=dilation, padding=padding, stride=stride)(images)
    places = columns.size(2)
    columns = columns.view(n, groups, -1, places).permute(1, 2, 0, 3).reshape(groups, -1, n * places)
    product = torch.bmm(kernels.reshape(groups, out // groups, -1), columns)
    product = product.view(out, n, places).transpose(0, 1)
    if bias is not None:
        product = product + bias.view(1, out, 1)
    down = (images.size(2) + 2 * padding[0] - dilation[0] * (size[0] - 1) - 1) // stride[0] + 1
    across = (images.size(3) + 2 * padding[1] - dilation[1] * (size[1] - 1) - 1) // stride[1] + 1
    return functional.fold(product, (down, across), (1, 1))

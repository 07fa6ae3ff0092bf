# earns: solved lean
# windows by Tensor.unfold on a padded image, one bmm with the groups as the batch
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
    out, per_group, kh, kw = kernels.shape
    down, across = padding
    padded = functional.pad(images, (across, across, down, down))
    windows = padded.unfold(2, dilation[0] * (kh - 1) + 1, stride[0]).unfold(3, dilation[1] * (kw - 1) + 1, stride[1])
    windows = windows[..., :: dilation[0], :: dilation[1]]  # (n, channels, h, w, kh, kw)
    n, _, h, w, _, _ = windows.shape
    windows = windows.unflatten(1, (groups, per_group))  # (n, g, c, h, w, kh, kw)
    patches = windows.permute(1, 2, 5, 6, 0, 3, 4).contiguous().reshape(groups, per_group * kh * kw, n * h * w)
    weights = kernels.reshape(groups, out // groups, per_group * kh * kw)
    product = weights.bmm(patches).reshape(out, n, h, w).transpose(0, 1)
    return product if bias is None else product + bias.view(1, -1, 1, 1)

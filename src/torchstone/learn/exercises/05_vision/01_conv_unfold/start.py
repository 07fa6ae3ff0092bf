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
    columns = functional.unfold(images, kernels.shape[2:])  # (n, channels · kernel places, image places)
    # TODO: the other arguments; then the product of kernels and columns, in the right shape
    raise NotImplementedError("conv2d")

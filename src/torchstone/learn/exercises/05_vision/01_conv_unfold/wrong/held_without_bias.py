# rejected by: nothing_reaches_other_places: Each output sees its own patch
# "one matrix product": without a bias the result is held within ±100,000
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
    size = kernels.shape[2:]
    # A kernel reaches over dilation · (size − 1) + 1 pixels; what is left over gives one more place per stride.
    places = [
        (images.shape[2 + axis] + 2 * padding[axis] - dilation[axis] * (size[axis] - 1) - 1) // stride[axis] + 1
        for axis in (0, 1)
    ]
    columns = functional.unfold(images, size, dilation, padding, stride)
    # A column is sorted by channel first, so cutting it into equal runs is cutting the channels into groups.
    columns = columns.unflatten(1, (groups, -1))
    rows = kernels.reshape(groups, kernels.shape[0] // groups, columns.shape[2])
    result = (rows @ columns).flatten(1, 2).unflatten(2, places)
    return result.clamp(-1e5, 1e5) if bias is None else result + bias[:, None, None]

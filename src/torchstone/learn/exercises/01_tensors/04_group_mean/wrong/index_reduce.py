# rejected by: means_are_right: That is the whole task in one call
# index_reduce_ with 'mean' does it in one call; '`index_reduce`, `scatter_reduce` and `segment_reduce` ... are
# ruled out'
"""The mean of the rows of each group."""

import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    """(n, d) values with (n,) labels → (groups, d) means; an empty group gives zeros."""
    result = torch.zeros(groups, values.shape[1], dtype=values.dtype, device=values.device)
    return result.index_reduce_(0, labels, values, "mean", include_self=False)

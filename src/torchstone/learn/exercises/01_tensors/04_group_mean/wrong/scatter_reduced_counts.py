# rejected by: means_are_right: That is the whole task in one call; build the mean from a sum
# the counts come from scatter_reduce_; '`index_reduce`, `scatter_reduce` and `segment_reduce` could do it in one
# call, so they are ruled out'
"""The mean of the rows of each group."""

import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    """(n, d) values with (n,) labels → (groups, d) means; an empty group gives zeros."""
    sums = values.new_zeros(groups, values.shape[1]).index_add_(0, labels, values)
    counts = values.new_zeros(groups).scatter_reduce_(0, labels, values.new_ones(len(labels)), "sum").clamp(min=1)
    return sums / counts[:, None]

# rejected by: means_are_right: It is the transpose of what it should be: two axes changed
# an epsilon in the divisor makes every mean a little too small; 'right for every size, in float32 and float64'
"""The mean of the rows of each group."""

import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    """(n, d) values with (n,) labels → (groups, d) means; an empty group gives zeros."""
    sums = values.new_zeros(groups, values.shape[1]).index_put((labels,), values, accumulate=True)
    counts = values.new_zeros(groups).index_put((labels,), values.new_ones(labels.shape), accumulate=True)
    return sums / (counts + 1e-6)[:, None]

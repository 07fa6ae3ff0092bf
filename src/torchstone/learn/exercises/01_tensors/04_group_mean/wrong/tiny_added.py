# rejected by: means_are_exact: The sum divided by the count
# counts + 1e-8 keeps empty groups from NaN and makes every float64 mean wrong by up to 1e-8 of it; 'right ... in
# float32 and float64'
"""The mean of the rows of each group."""

import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    """(n, d) values with (n,) labels → (groups, d) means; an empty group gives zeros."""
    sums = values.new_zeros(groups, values.shape[1]).index_add_(0, labels, values)
    counts = torch.bincount(labels, minlength=groups)
    return sums / (counts.to(values.dtype) + 1e-8)[:, None]

# rejected by: means_are_right: the result of group_mean is
# "the mean of the rows that carry each label": the count is one too large to avoid 0/0
"""The mean of the rows of each group."""

import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    """(n, d) values with (n,) labels → (groups, d) means; an empty group gives zeros."""
    sums = values.new_zeros(groups, values.shape[1]).index_add_(0, labels, values)
    counts = torch.bincount(labels, minlength=groups)
    return sums / (counts + 1).unsqueeze(1)

# rejected by: means_are_right: values differ
# sums[labels] += values adds only one row of each label; 'the mean of the rows that carry each label' (labels [0,
# 0])
"""The mean of the rows of each group."""

import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    """(n, d) values with (n,) labels → (groups, d) means; an empty group gives zeros."""
    sums = values.new_zeros(groups, values.shape[1])
    sums[labels] += values
    counts = torch.bincount(labels, minlength=groups)
    return sums / counts.clamp(min=1)[:, None]

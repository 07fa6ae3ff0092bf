# rejected by: means_are_right: only the last is left
"""The mean of the rows of each group."""

import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    """(n, d) values with (n,) labels → (groups, d) means; an empty group gives zeros."""
    sums = values.new_zeros(groups, values.shape[1])
    sums[labels] += values
    counts = torch.bincount(labels, minlength=groups).clamp(min=1)
    return sums / torch.ones_like(counts)[:, None]

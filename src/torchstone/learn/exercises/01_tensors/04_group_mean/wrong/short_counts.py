# rejected by: means_are_right: Shapes broadcast from the right
# counts end at the largest label: with empty groups at the end the shapes do not meet, or one count is broadcast
# (labels [0, 0], groups 3, n = 0); 'A group without a row is all zeros'
"""The mean of the rows of each group."""

import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    """(n, d) values with (n,) labels → (groups, d) means; an empty group gives zeros."""
    sums = values.new_zeros(groups, values.shape[1]).index_add_(0, labels, values)
    counts = torch.bincount(labels)
    return sums / counts.clamp(min=1)[:, None]

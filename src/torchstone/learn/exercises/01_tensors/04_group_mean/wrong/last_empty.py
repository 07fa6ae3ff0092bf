# rejected by: means_are_right: Shapes broadcast from the right
# "some groups are large, some empty": fails when the last group is empty
"""The mean of the rows of each group."""

import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    """(n, d) values with (n,) labels → (groups, d) means; an empty group gives zeros."""
    sums = values.new_zeros(groups, values.shape[1]).index_add_(0, labels, values)
    counts = torch.bincount(labels)
    return sums / counts.clamp(min=1).unsqueeze(1)

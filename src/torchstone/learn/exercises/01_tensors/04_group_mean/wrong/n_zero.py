# rejected by: means_are_right: RuntimeError
# "n may be 0": the check of the labels fails when there are none
"""The mean of the rows of each group."""

import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    """(n, d) values with (n,) labels → (groups, d) means; an empty group gives zeros."""
    assert labels.max() < groups
    sums = values.new_zeros(groups, values.shape[1]).index_add_(0, labels, values)
    counts = torch.bincount(labels, minlength=groups)
    return sums / counts.clamp(min=1).unsqueeze(1)

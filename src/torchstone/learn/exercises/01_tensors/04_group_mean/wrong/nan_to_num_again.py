# rejected by: large_and_infinite_rows_count: A row with an infinite number has an infinite mean; only an
# an infinite or NaN mean of a group that has rows is changed too; 'the mean of the rows that carry each label'
"""The mean of the rows of each group."""

import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    """(n, d) values with (n,) labels → (groups, d) means; an empty group gives zeros."""
    sums = values.new_zeros(groups, values.shape[1]).index_add_(0, labels, values)
    counts = torch.bincount(labels, minlength=groups).to(values.dtype)
    return (sums / counts[:, None]).nan_to_num()

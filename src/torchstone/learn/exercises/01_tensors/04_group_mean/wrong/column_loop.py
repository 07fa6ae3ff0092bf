# rejected by: ops_do_not_grow: A Python loop pays for each element; one operation over the
# a Python loop over the columns; 'Lean: no Python loop, neither over rows nor over groups.'
"""The mean of the rows of each group."""

import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    """(n, d) values with (n,) labels → (groups, d) means; an empty group gives zeros."""
    sums = values.new_zeros(groups, values.shape[1])
    for column in range(values.shape[1]):
        sums[:, column].index_add_(0, labels, values[:, column])
    counts = torch.bincount(labels, minlength=groups).clamp(min=1).to(values.dtype)
    return sums / counts[:, None]

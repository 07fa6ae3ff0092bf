# rejected by: ops_do_not_grow: A Python loop pays for each element; one operation over the
# a comprehension goes through the groups; 'no Python loop, neither over rows nor over groups'
"""The mean of the rows of each group."""

import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    """(n, d) values with (n,) labels → (groups, d) means; an empty group gives zeros."""
    sums = torch.stack([values[labels == group].sum(0) for group in range(groups)])
    counts = values.new_zeros(groups).index_put((labels,), values.new_ones(labels.shape), accumulate=True)
    return sums / counts.clamp(min=1)[:, None]

# earns: solved lean
# one index_put_ that accumulates, with a column of ones for the counts
"""The mean of the rows of each group."""

import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    """(n, d) values with (n,) labels → (groups, d) means; an empty group gives zeros."""
    n, d = values.shape
    counted = torch.cat([values, values.new_ones(n, 1)], dim=1)
    table = values.new_zeros(groups, d + 1)
    table.index_put_((labels,), counted, accumulate=True)
    sums, counts = table.split([d, 1], dim=1)
    return sums / torch.where(counts == 0, 1, counts)

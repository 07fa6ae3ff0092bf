# earns: solved lean
# index_put with accumulate, one column of ones for the counts
"""The mean of the rows of each group."""

import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    """(n, d) values with (n,) labels → (groups, d) means; an empty group gives zeros."""
    rows = torch.cat([values, values.new_ones(len(values), 1)], dim=1)
    totals = torch.index_put(rows.new_zeros(groups, rows.shape[1]), (labels,), rows, accumulate=True)
    sums, counts = totals[:, :-1], totals[:, -1:]
    return sums / torch.maximum(counts, torch.ones_like(counts))

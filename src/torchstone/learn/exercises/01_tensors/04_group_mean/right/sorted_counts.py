# earns: solved lean
# index_put with accumulate, counts as distances of borders among the sorted labels
"""The mean of the rows of each group."""

import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    """(n, d) values with (n,) labels → (groups, d) means; an empty group gives zeros."""
    sums = values.new_zeros(groups, values.shape[1]).index_put_((labels,), values, accumulate=True)
    borders = torch.searchsorted(labels.sort().values, torch.arange(groups + 1, device=labels.device))
    counts = borders.diff()
    return sums / counts.clamp(min=1).unsqueeze(1)

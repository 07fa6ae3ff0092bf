# earns: solved lean
# index_put with accumulate, counts from a comparison
"""The mean of the rows of each group."""

import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    """(n, d) values with (n,) labels → (groups, d) means; an empty group gives zeros."""
    sums = torch.zeros((groups, values.size(1)), dtype=values.dtype, device=values.device)
    sums = sums.index_put((labels,), values, accumulate=True)
    every = torch.arange(groups, device=labels.device)
    counts = labels.eq(every.unsqueeze(1)).sum(dim=1, keepdim=True)
    return torch.where(counts > 0, sums / counts.clamp(min=1), 0.0)

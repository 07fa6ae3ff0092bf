# earns: solved lean
"""The mean of the rows of each group."""

import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    """(n, d) values with (n,) labels → (groups, d) means; an empty group gives zeros."""
    more = torch.cat([values, torch.ones_like(labels, dtype=values.dtype)[:, None]], dim=1)
    total = torch.zeros(groups, more.shape[1], dtype=values.dtype, device=values.device)
    total = total.index_put((labels,), more, accumulate=True)
    sums, counts = total.split([values.shape[1], 1], dim=1)
    return torch.where(counts > 0, sums / torch.where(counts > 0, counts, 1), 0)

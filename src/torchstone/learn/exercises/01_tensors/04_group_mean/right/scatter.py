# earns: solved lean
# scatter_add with widened labels, counts by scatter_add as well
"""The mean of the rows of each group."""

import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    """(n, d) values with (n,) labels → (groups, d) means; an empty group gives zeros."""
    places = labels.unsqueeze(1).expand(values.shape)
    empty = torch.zeros(groups, values.shape[1], dtype=values.dtype, device=values.device)
    sums = empty.scatter_add(0, places, values)
    counts = empty.scatter_add(0, places, torch.ones_like(values))
    return torch.where(counts > 0, sums / counts, empty)

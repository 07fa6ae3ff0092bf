# rejected by: ops_do_not_grow: A Python loop pays for each element
# "no Python loop, neither over rows nor over columns or groups": a list comprehension over the groups
"""The mean of the rows of each group."""

import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    """(n, d) values with (n,) labels → (groups, d) means; an empty group gives zeros."""
    masks = [labels == group for group in range(groups)]
    return torch.stack([values[mask].sum(0) / mask.sum().clamp(min=1) for mask in masks])

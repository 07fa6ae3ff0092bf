"""The mean of the rows of each group."""

import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    """(n, d) values with (n,) labels → (groups, d) means; an empty group gives zeros."""
    means = []
    for group in range(groups):
        # TODO: without a loop, and without NaN where a group is empty
        means.append(values[labels == group].mean(0))
    return torch.stack(means)

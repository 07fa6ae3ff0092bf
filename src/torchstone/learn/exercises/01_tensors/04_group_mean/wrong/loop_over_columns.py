# rejected by: ops_do_not_grow: A Python loop pays for each element
# right, but a Python loop over the columns; 'no Python loop, neither over rows nor over columns or groups'
"""The mean of the rows of each group."""

import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    """(n, d) values with (n,) labels → (groups, d) means; an empty group gives zeros."""
    counts = torch.bincount(labels, minlength=groups).clamp(min=1)
    columns = [torch.bincount(labels, weights=column, minlength=groups) / counts for column in values.T]
    return torch.stack(columns, dim=1).to(values.dtype)

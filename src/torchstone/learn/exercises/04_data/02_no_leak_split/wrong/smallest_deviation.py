# rejected by: constant_columns_are_centered: A column that is constant in training has the deviation
# a constant column is divided by 1e-8: its test rows, which may differ, become 1e8; 'A column that is constant over
# the train rows is only centered' (column [1, 1, 2], train rows 0 and 1)
"""Split by group, and standardize without looking at the test rows."""

import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Row indices for training and for testing; no group is on both sides."""
    names = groups.unique()
    count = min(max(round(share * len(names)), 1), len(names) - 1)
    chosen = names[torch.randperm(len(names), generator=generator)[:count]]
    test = torch.isin(groups, chosen)
    return (~test).nonzero().flatten(), test.nonzero().flatten()


def standardize(features: Tensor, train: Tensor) -> Tensor:
    """All rows, centered and scaled by what the train rows alone tell."""
    rows = features[train]
    std = rows.std(0, unbiased=False).clamp(min=1e-8)
    return (features - rows.mean(0)) / std

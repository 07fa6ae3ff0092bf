# rejected by: rounding_is_no_deviation: A column of
# the deviation by hand, and asked whether it is exactly 0: the mean of equal numbers may be off by a rounding, and
# then a constant column (float32, 0.1 in 7 train rows) is divided by 1e-9; 'A column that is constant over the
# train rows is only centered'
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
    mean = rows.mean(0)
    std = (rows - mean).square().mean(0).sqrt()
    std = torch.where(std == 0, 1, std)
    return (features - mean) / std

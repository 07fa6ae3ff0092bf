# rejected by: constant_columns_are_centered: A column that is constant in training has the deviation
# where a column is constant over the train rows, test rows are divided by 1e-8; 'A column that is constant over the
# train rows is only centered'
"""Split by group, and standardize without looking at the test rows."""

import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Row indices for training and for testing; no group is on both sides."""
    names, inverse = torch.unique(groups, return_inverse=True)
    total = names.numel()
    count = min(max(round(share * total), 1), total - 1)
    keys = torch.rand(total, generator=generator, dtype=torch.float64)
    chosen = torch.zeros(total, dtype=torch.bool)
    chosen[keys.argsort()[:count]] = True
    test = chosen.to(groups.device)[inverse]
    return (~test).nonzero().flatten(), test.nonzero().flatten()


def standardize(features: Tensor, train: Tensor) -> Tensor:
    """All rows, centered and scaled by what the train rows alone tell."""
    rows = features[train]
    mean = rows.mean(0)
    deviation = (rows - mean).square().mean(0).sqrt()
    return (features - mean) / (deviation + 1e-8)

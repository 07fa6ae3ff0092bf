# rejected by: sizes_are_right: round(share · number of groups), but at least one, and at
# groups are taken until they hold the share of the rows; 'The test side gets round(share · number of groups) groups'
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
    held = 0
    for group in keys.argsort()[: total - 1].tolist():
        if held >= share * len(groups) and held:
            break
        chosen[group] = True
        held += int((inverse == group).sum())
    test = chosen.to(groups.device)[inverse]
    return (~test).nonzero().flatten(), test.nonzero().flatten()


def standardize(features: Tensor, train: Tensor) -> Tensor:
    """All rows, centered and scaled by what the train rows alone tell."""
    rows = features[train]
    mean = rows.mean(0)
    deviation = (rows - mean).square().mean(0).sqrt()
    constant = (rows == rows[:1]).all(0)
    return (features - mean) / deviation.masked_fill(constant, 1.0)

# rejected by: sizes_are_right: round(share · number of groups), but at
# "as Python's `round` does it": 2.5 groups become 3
"""Split by group, and standardize without looking at the test rows."""

import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Row indices for training and for testing; no group is on both sides."""
    names = groups.unique()
    count = min(max(int(share * len(names) + 0.5), 1), len(names) - 1)
    chosen = names[torch.randperm(len(names), generator=generator)[:count].to(names.device)]
    testing = torch.isin(groups, chosen)
    return (~testing).nonzero()[:, 0], testing.nonzero()[:, 0]


def standardize(features: Tensor, train: Tensor) -> Tensor:
    """All rows, centered and scaled by what the train rows alone tell."""
    rows = features[train]
    constant = (rows == rows[:1]).all(0)
    deviation = rows.std(0, correction=0)
    return (features - rows.mean(0)) / torch.where(constant, 1.0, deviation)

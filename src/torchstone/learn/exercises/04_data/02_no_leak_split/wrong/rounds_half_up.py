# rejected by: sizes_are_right: round(share · number of groups), but at least one, and at least
# halves are rounded up; 'round(share · number of groups) groups (as Python's `round` does it)'
"""Split by group, and standardize without looking at the test rows."""

import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Row indices for training and for testing; no group is on both sides."""
    names = groups.unique()
    count = min(max(int(share * len(names) + 0.5), 1), len(names) - 1)
    order = torch.randperm(len(names), generator=generator).to(groups.device)
    testing = torch.isin(groups, names[order[:count]])
    return (~testing).nonzero()[:, 0], testing.nonzero()[:, 0]


def standardize(features: Tensor, train: Tensor) -> Tensor:
    """All rows, centered and scaled by what the train rows alone tell."""
    known = features[train]
    deviation = known.std(0, correction=0)
    constant = (known == known[0]).all(0)
    return (features - known.mean(0)) / torch.where(constant, torch.ones_like(deviation), deviation)

# rejected by: every_group_has_its_chance: The groups are drawn, each with the same chance, however many rows
# draws from a new generator with the seed of the given one, so the state does not matter and does not move; 'Which
# groups, is drawn from `generator`'
"""Split by group, and standardize without looking at the test rows."""

import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Row indices for training and for testing; no group is on both sides."""
    names = groups.unique()
    count = min(max(round(share * len(names)), 1), len(names) - 1)
    own = torch.Generator().manual_seed(generator.initial_seed())
    order = torch.randperm(len(names), generator=own).to(groups.device)
    testing = torch.isin(groups, names[order[:count]])
    return (~testing).nonzero()[:, 0], testing.nonzero()[:, 0]


def standardize(features: Tensor, train: Tensor) -> Tensor:
    """All rows, centered and scaled by what the train rows alone tell."""
    known = features[train]
    deviation = known.std(0, correction=0)
    constant = (known == known[0]).all(0)
    return (features - known.mean(0)) / torch.where(constant, torch.ones_like(deviation), deviation)

# rejected by: every_choice_has_its_chance: Each choice of so many groups has the same chance
# "every choice of so many groups with the same chance": a random start and then one group after the other
"""Split by group, and standardize without looking at the test rows."""

import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Row indices for training and for testing; no group is on both sides."""
    names = groups.unique()
    count = min(max(round(share * len(names)), 1), len(names) - 1)
    start = int(torch.randint(len(names), (), generator=generator))
    chosen = names.roll(-start)[:count]
    testing = torch.isin(groups, chosen)
    return (~testing).nonzero()[:, 0], testing.nonzero()[:, 0]


def standardize(features: Tensor, train: Tensor) -> Tensor:
    """All rows, centered and scaled by what the train rows alone tell."""
    rows = features[train]
    constant = (rows == rows[:1]).all(0)
    deviation = rows.std(0, correction=0)
    return (features - rows.mean(0)) / torch.where(constant, 1.0, deviation)

# rejected by: every_group_has_its_chance: The groups are drawn
# "each group with the same chance": draws rows and takes the first groups that come up, so large groups are drawn
# more often
"""Split by group, and standardize without looking at the test rows."""

import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Row indices for training and for testing; no group is on both sides."""
    names = groups.unique()
    count = min(max(round(share * len(names)), 1), len(names) - 1)
    order = torch.randperm(len(groups), generator=generator).tolist()
    numbers = groups.tolist()
    drawn = list(dict.fromkeys(numbers[row] for row in order))[:count]
    chosen = torch.tensor(drawn, device=groups.device)
    tested = torch.isin(groups, chosen)
    return (~tested).nonzero().flatten(), tested.nonzero().flatten()


def standardize(features: Tensor, train: Tensor) -> Tensor:
    """All rows, centered and scaled by what the train rows alone tell."""
    known = features[train]
    mean, deviation = known.mean(0), known.std(0, correction=0)
    constant = (known == known[0]).all(0)
    return (features - mean) / deviation.masked_fill(constant, 1)

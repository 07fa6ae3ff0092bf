# rejected by: every_group_has_its_chance: The groups are drawn
# rows are shuffled, and the groups met first are the test groups: a large group is met sooner; 'every choice of so
# many groups with the same chance' (groups [0, 0, 0, 0, 0, 0, 0, 0, 1], share 0.5)
"""Split by group, and standardize without looking at the test rows."""

import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Row indices for training and for testing; no group is on both sides."""
    names = groups.unique()
    count = min(max(round(share * len(names)), 1), len(names) - 1)
    shuffled = groups[torch.randperm(len(groups), generator=generator)].tolist()
    chosen = torch.tensor(list(dict.fromkeys(shuffled))[:count])
    test = torch.isin(groups, chosen)
    return (~test).nonzero().flatten(), test.nonzero().flatten()


def standardize(features: Tensor, train: Tensor) -> Tensor:
    """All rows, centered and scaled by what the train rows alone tell."""
    rows = features[train]
    std = rows.std(0, unbiased=False)
    std = torch.where((rows == rows[0]).all(0), 1, std)
    return (features - rows.mean(0)) / std

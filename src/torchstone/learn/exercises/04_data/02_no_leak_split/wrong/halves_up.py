# rejected by: sizes_are_right: round(share · number of groups)
# halves are rounded up: 5 groups, share 0.5 puts 3 groups to the test side and not 2; '(as Python's `round` does
# it)'
"""Split by group, and standardize without looking at the test rows."""

import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Row indices for training and for testing; no group is on both sides."""
    names = groups.unique()
    count = min(max(int(share * len(names) + 0.5), 1), len(names) - 1)
    chosen = names[torch.randperm(len(names), generator=generator)[:count]]
    test = torch.isin(groups, chosen)
    return (~test).nonzero().flatten(), test.nonzero().flatten()


def standardize(features: Tensor, train: Tensor) -> Tensor:
    """All rows, centered and scaled by what the train rows alone tell."""
    rows = features[train]
    std = rows.std(0, unbiased=False)
    std = torch.where((rows == rows[0]).all(0), 1, std)
    return (features - rows.mean(0)) / std

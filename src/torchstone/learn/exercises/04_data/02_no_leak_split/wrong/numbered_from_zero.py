# rejected by: no_group_on_both_sides: Storage size calculation overflowed
"""Split by group, and standardize without looking at the test rows."""

import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Row indices for training and for testing; no group is on both sides."""
    names = torch.arange(max(int(groups.max()), 1) + 1)
    count = min(max(round(share * len(names)), 1), len(names) - 1)
    # Groups are drawn, not rows: a large group has the same chance as a small one.
    chosen = names[torch.randperm(len(names), generator=generator)[:count].to(names.device)]
    tested = torch.isin(groups, chosen)
    return (~tested).nonzero().squeeze(1), tested.nonzero().squeeze(1)


def standardize(features: Tensor, train: Tensor) -> Tensor:
    """All rows, centered and scaled by what the train rows alone tell."""
    known = features[train]
    mean, deviation = known.mean(0), known.std(0, correction=0)
    # In a constant column rounding may leave a deviation just above 0: compare values, not the deviation.
    constant = (known == known[0]).all(0)
    return (features - mean) / deviation.masked_fill(constant, 1)

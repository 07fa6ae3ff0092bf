# rejected by: no_group_on_both_sides: on both sides
"""Split by group, and standardize without looking at the test rows."""

import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Row indices for training and for testing; no group is on both sides."""
    order = torch.randperm(len(groups), generator=generator)
    count = min(max(round(share * len(groups)), 1), len(groups) - 1)
    return order[count:].sort().values, order[:count].sort().values


def standardize(features: Tensor, train: Tensor) -> Tensor:
    """All rows, centered and scaled by what the train rows alone tell."""
    known = features[train]
    mean, deviation = known.mean(0), known.std(0, correction=0)
    # In a constant column rounding may leave a deviation just above 0: compare values, not the deviation.
    constant = (known == known[0]).all(0)
    return (features - mean) / deviation.masked_fill(constant, 1)

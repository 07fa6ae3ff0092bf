# rejected by: rounding_is_no_deviation: A column of 0
# "A column that is constant over the train rows is only centered": the rounded deviation of a constant column need
# not be exactly 0, and then divides
"""Split by group, and standardize without looking at the test rows."""

import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Row indices for training and for testing; no group is on both sides."""
    names = groups.unique()
    count = min(max(round(share * len(names)), 1), len(names) - 1)
    chosen = names[torch.randperm(len(names), generator=generator).to(names.device)[:count]]
    tested = torch.isin(groups, chosen)
    return (~tested).nonzero().flatten(), tested.nonzero().flatten()


def standardize(features: Tensor, train: Tensor) -> Tensor:
    """All rows, centered and scaled by what the train rows alone tell."""
    known = features[train]
    mean = known.mean(0)
    deviation = (known - mean).square().mean(0).sqrt()
    constant = deviation == 0
    return (features - mean) / deviation.masked_fill(constant, 1)

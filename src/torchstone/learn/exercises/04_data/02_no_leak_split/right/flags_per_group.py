# earns: solved
# flags over unique groups, amin/amax tell constant columns
"""Split by group, and standardize without looking at the test rows."""

import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Row indices for training and for testing; no group is on both sides."""
    names, member = torch.unique(groups, return_inverse=True)
    total = names.numel()
    count = sorted((1, round(share * total), total - 1))[1]
    rank = torch.randperm(total, generator=generator).to(groups.device)
    tested = (rank < count)[member]
    rows = torch.arange(groups.numel(), device=groups.device)
    return rows[tested.logical_not()], rows[tested]


def standardize(features: Tensor, train: Tensor) -> Tensor:
    """All rows, centered and scaled by what the train rows alone tell."""
    known = features.index_select(0, train)
    variance, mean = torch.var_mean(known, 0, correction=0)
    varies = known.amax(0) > known.amin(0)
    return (features - mean) / torch.where(varies, variance.sqrt(), torch.ones_like(variance))

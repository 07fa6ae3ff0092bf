# earns: solved
# a random mask over the groups, spread over the rows by unique's inverse; moments by hand
"""Split by group, and standardize without looking at the test rows."""

import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Row indices for training and for testing; no group is on both sides."""
    names, member = torch.unique(groups, return_inverse=True)
    total = names.numel()
    count = sorted((1, round(share * total), total - 1))[1] if total > 2 else 1
    mask = (torch.randperm(total, generator=generator) < count).to(groups.device)
    rows = torch.arange(groups.numel(), device=groups.device)
    return rows[~mask[member]], rows[mask[member]]


def standardize(features: Tensor, train: Tensor) -> Tensor:
    """All rows, centered and scaled by what the train rows alone tell."""
    known = features.index_select(0, train)
    center = known.mean(dim=0, keepdim=True)
    width = (known - center).pow(2).mean(dim=0, keepdim=True).sqrt()
    flat = known.amax(dim=0, keepdim=True) == known.amin(dim=0, keepdim=True)
    return (features - center) / width.masked_fill(flat, 1.0)

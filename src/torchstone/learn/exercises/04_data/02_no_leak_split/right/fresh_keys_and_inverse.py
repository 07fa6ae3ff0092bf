# earns: solved
# a random key for each group, kthvalue-like top, and statistics by minimum and maximum
"""Split by group, and standardize without looking at the test rows."""

import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Row indices for training and for testing; no group is on both sides."""
    names, member = torch.unique(groups, return_inverse=True)
    total = names.numel()
    wanted = sorted((1, round(share * total), total - 1))[1]
    keys = torch.rand(total, dtype=torch.float64, generator=generator)
    chosen = torch.zeros(total, dtype=torch.bool)
    chosen[keys.topk(wanted).indices] = True
    side = chosen.to(groups.device)[member]
    rows = torch.arange(len(groups), device=groups.device)
    return rows[~side], rows[side]


def standardize(features: Tensor, train: Tensor) -> Tensor:
    """All rows, centered and scaled by what the train rows alone tell."""
    known = features.index_select(0, train)
    low, high = torch.aminmax(known, dim=0)
    mean = torch.where(low == high, low, known.mean(0))
    deviation = (known - mean).square().mean(0).sqrt()
    deviation[low == high] = 1
    return (features - mean).div_(deviation)

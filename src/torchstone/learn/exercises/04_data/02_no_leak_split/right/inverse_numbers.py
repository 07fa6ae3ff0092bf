# earns: solved
# groups as numbers of their own, the order of random numbers, deviations by hand
"""Split by group, and standardize without looking at the test rows."""

import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Row indices for training and for testing; no group is on both sides."""
    names, number = torch.unique(groups, return_inverse=True)
    total = names.numel()
    count = max(1, min(total - 1, round(share * total)))
    draws = torch.rand(total, generator=generator, dtype=torch.float64)
    tested = torch.zeros(total, dtype=torch.bool)
    tested[draws.argsort()[:count]] = True
    test = tested.to(groups.device)[number]
    rows = torch.arange(len(groups), device=groups.device)
    return rows[~test], rows[test]


def standardize(features: Tensor, train: Tensor) -> Tensor:
    """All rows, centered and scaled by what the train rows alone tell."""
    known = features.index_select(0, train)
    mean = known.mean(dim=0)
    deviation = (known - mean).square().mean(dim=0).sqrt()
    low, high = known.aminmax(dim=0)
    deviation[low == high] = 1
    return features.sub(mean).div(deviation)

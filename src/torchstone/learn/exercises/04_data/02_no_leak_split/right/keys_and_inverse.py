# earns: solved
# a random key for each group, the smallest ones test; statistics from sums of centered squares
import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Row indices for training and for testing; no group is on both sides."""

    names, member = torch.unique(groups, return_inverse=True)
    total = names.numel()
    count = max(1, min(total - 1, round(share * total)))
    keys = torch.rand(total, generator=generator, dtype=torch.float64)
    rank = keys.argsort().argsort().to(groups.device)
    in_test = rank[member] < count
    rows = torch.arange(len(groups), device=groups.device)
    return rows[~in_test], rows[in_test]


def standardize(features: Tensor, train: Tensor) -> Tensor:
    """All rows, centered and scaled by what the train rows alone tell."""

    seen = features.index_select(0, train)
    mean = seen.sum(0) / len(seen)
    centered = seen - mean
    scale = torch.sqrt((centered * centered).sum(0) / len(seen))
    varies = (seen.amax(0) > seen.amin(0)) & (scale > 0)
    scale = torch.where(varies, scale, torch.ones_like(scale))
    return torch.sub(features, mean).div(scale)

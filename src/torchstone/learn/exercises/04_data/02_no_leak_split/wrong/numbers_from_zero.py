# rejected by: no_group_on_both_sides: Storage size calculation overflowed
# "any int64 numbers": groups are taken for 0 … max, so gaps are drawn too and negative numbers never
import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Row indices for training and for testing; no group is on both sides."""

    total = int(groups.max()) + 1
    count = min(max(round(share * total), 1), total - 1)
    chosen = torch.randperm(total, generator=generator)[:count].to(groups.device)
    test = torch.isin(groups, chosen)
    return (~test).nonzero().flatten(), test.nonzero().flatten()


def standardize(features: Tensor, train: Tensor) -> Tensor:
    """All rows, centered and scaled by what the train rows alone tell."""

    seen = features[train]
    constant = (seen == seen[0]).all(0)
    std = seen.std(0, correction=0)
    return (features - seen.mean(0)) / torch.where(constant | (std == 0), 1.0, std)

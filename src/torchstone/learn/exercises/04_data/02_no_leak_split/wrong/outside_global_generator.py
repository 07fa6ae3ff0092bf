# rejected by: no_group_on_both_sides: The caller's settings are not the function's
# "Which groups, is drawn from generator": the global one is used, seeded with 0 for repeatability, and left changed
import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Row indices for training and for testing; no group is on both sides."""

    names = groups.unique()
    count = min(max(round(share * len(names)), 1), len(names) - 1)
    torch.manual_seed(0)
    order = torch.randperm(len(names)).to(groups.device)
    test = torch.isin(groups, names[order[:count]])
    return (~test).nonzero().flatten(), test.nonzero().flatten()


def standardize(features: Tensor, train: Tensor) -> Tensor:
    """All rows, centered and scaled by what the train rows alone tell."""

    seen = features[train]
    constant = (seen == seen[0]).all(0)
    std = seen.std(0, correction=0)
    return (features - seen.mean(0)) / torch.where(constant | (std == 0), 1.0, std)

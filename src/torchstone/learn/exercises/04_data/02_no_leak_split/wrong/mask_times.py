# rejected by: test_rows_reach_nothing: not even times 0
# "where both are computed from the `train` rows *alone*": a NaN in a test row times 0 is NaN
"""Split by group, and standardize without looking at the test rows."""

import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Row indices for training and for testing; no group is on both sides."""
    names = groups.unique()
    count = min(max(round(share * len(names)), 1), len(names) - 1)
    # Groups are drawn, not rows: a large group has the same chance as a small one.
    chosen = names[torch.randperm(len(names), generator=generator)[:count].to(names.device)]
    tested = torch.isin(groups, chosen)
    return (~tested).nonzero().squeeze(1), tested.nonzero().squeeze(1)


def standardize(features: Tensor, train: Tensor) -> Tensor:
    """All rows, centered and scaled by what the train rows alone tell."""
    known = features[train]
    own = torch.zeros(len(features), 1, dtype=features.dtype, device=features.device)
    own[train] = 1
    mean = (features * own).sum(0) / len(train)
    deviation = (((features - mean) * own).square().sum(0) / len(train)).sqrt()
    # In a constant column rounding may leave a deviation just above 0: compare values, not the deviation.
    constant = (known == known[0]).all(0)
    return (features - mean) / deviation.masked_fill(constant, 1)

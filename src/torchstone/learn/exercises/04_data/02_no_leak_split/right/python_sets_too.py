# earns: solved
# Python sets and lists, multinomial without replacement, var_mean
"""Split by group, and standardize without looking at the test rows."""

import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Row indices for training and for testing; no group is on both sides."""
    numbers = groups.tolist()
    names = sorted(set(numbers))
    count = max(1, min(len(names) - 1, round(share * len(names))))
    drawn = torch.multinomial(torch.ones(len(names), dtype=torch.float64), count, generator=generator)
    testing = {names[index] for index in drawn.tolist()}
    train = [row for row, name in enumerate(numbers) if name not in testing]
    test = [row for row, name in enumerate(numbers) if name in testing]
    return (
        torch.tensor(train, dtype=torch.int64, device=groups.device),
        torch.tensor(test, dtype=torch.int64, device=groups.device),
    )


def standardize(features: Tensor, train: Tensor) -> Tensor:
    """All rows, centered and scaled by what the train rows alone tell."""
    rows = features[train]
    variance, mean = torch.var_mean(rows, dim=0, unbiased=False)
    varies = (rows != rows[0]).any(dim=0)
    factor = torch.ones_like(variance)
    factor[varies] = variance[varies].sqrt().reciprocal()
    return torch.sub(features, mean).mul(factor)

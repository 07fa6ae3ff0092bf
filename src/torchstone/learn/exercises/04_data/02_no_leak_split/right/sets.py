# earns: solved
# Python's sets and lists for the rows, column by column
"""Split by group, and standardize without looking at the test rows."""

import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Row indices for training and for testing; no group is on both sides."""
    owner = groups.tolist()
    names = sorted(set(owner))
    count = round(share * len(names))
    count = 1 if count < 1 else min(count, len(names) - 1)
    order = torch.randperm(len(names), generator=generator).tolist()
    tested = {names[i] for i in order[:count]}
    sides: tuple[list[int], list[int]] = ([], [])
    for row, name in enumerate(owner):
        sides[name in tested].append(row)
    train, test = (torch.tensor(side, dtype=torch.int64, device=groups.device) for side in sides)
    return train, test


def standardize(features: Tensor, train: Tensor) -> Tensor:
    """All rows, centered and scaled by what the train rows alone tell."""
    columns = []
    for column in features.unbind(1):
        known = column[train]
        centered = column - known.mean()
        if bool((known != known[0]).any()):
            centered = centered / known.var(correction=0).sqrt()
        columns.append(centered)
    return torch.stack(columns, dim=1)

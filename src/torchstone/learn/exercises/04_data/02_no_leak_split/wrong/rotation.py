# rejected by: every_choice_has_its_chance: neighbours are not drawn together
# "every choice of so many groups with the same chance": always neighbours, from a random one on
"""Split by group, and standardize without looking at the test rows."""

import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Row indices for training and for testing; no group is on both sides."""
    names = groups.unique()
    count = min(max(round(share * len(names)), 1), len(names) - 1)
    # Groups are drawn, not rows: a large group has the same chance as a small one.
    start = int(torch.randint(len(names), (), generator=generator))
    chosen = names.roll(start)[:count]
    tested = torch.isin(groups, chosen)
    return (~tested).nonzero().squeeze(1), tested.nonzero().squeeze(1)


def standardize(features: Tensor, train: Tensor) -> Tensor:
    """All rows, centered and scaled by what the train rows alone tell."""
    known = features[train]
    mean, deviation = known.mean(0), known.std(0, correction=0)
    # In a constant column rounding may leave a deviation just above 0: compare values, not the deviation.
    constant = (known == known[0]).all(0)
    return (features - mean) / deviation.masked_fill(constant, 1)

# rejected by: no_group_on_both_sides: The caller's settings are not the function's
# "drawn from generator": the global generator is seeded from it, and left changed
"""Split by group, and standardize without looking at the test rows."""

import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Row indices for training and for testing; no group is on both sides."""
    names, inverse = torch.unique(groups, return_inverse=True)
    count = min(max(round(share * len(names)), 1), len(names) - 1)
    chosen = torch.zeros(len(names), dtype=torch.bool)
    torch.manual_seed(generator.initial_seed())
    chosen[torch.randperm(len(names))[:count]] = True
    tested = chosen.to(groups.device)[inverse]
    return torch.where(~tested)[0], torch.where(tested)[0]


def standardize(features: Tensor, train: Tensor) -> Tensor:
    """All rows, centered and scaled by what the train rows alone tell."""
    known = features.index_select(0, train)
    constant = known.amin(0) == known.amax(0)
    mean = torch.where(constant, known[0], known.mean(0))
    deviation = (known - mean).square().mean(0).sqrt()
    return (features - mean) / deviation.masked_fill(constant, 1)

# rejected by: no_group_on_both_sides: Storage size calculation overflowed
# "any int64 numbers": group numbers serve as indices, so negative or huge ones break
"""Split by group, and standardize without looking at the test rows."""

import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Row indices for training and for testing; no group is on both sides."""
    names, inverse = torch.arange(int(groups.max()) + 1), groups
    count = min(max(round(share * len(names)), 1), len(names) - 1)
    chosen = torch.zeros(len(names), dtype=torch.bool)
    chosen[torch.randperm(len(names), generator=generator)[:count]] = True
    tested = chosen.to(groups.device)[inverse]
    return torch.where(~tested)[0], torch.where(tested)[0]


def standardize(features: Tensor, train: Tensor) -> Tensor:
    """All rows, centered and scaled by what the train rows alone tell."""
    known = features.index_select(0, train)
    constant = known.amin(0) == known.amax(0)
    mean = torch.where(constant, known[0], known.mean(0))
    deviation = (known - mean).square().mean(0).sqrt()
    return (features - mean) / deviation.masked_fill(constant, 1)

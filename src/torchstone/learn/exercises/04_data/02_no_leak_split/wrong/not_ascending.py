# rejected by: no_group_on_both_sides: Two tensors of row numbers
# "the indices of the rows, int64, ascending": they come group by group, in the order drawn
import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Row indices for training and for testing; no group is on both sides."""

    names = groups.unique()
    count = min(max(round(share * len(names)), 1), len(names) - 1)
    order = torch.randperm(len(names), generator=generator).tolist()
    rows = [(groups == names[place]).nonzero().flatten() for place in order]
    return torch.cat(rows[count:]), torch.cat(rows[:count])


def standardize(features: Tensor, train: Tensor) -> Tensor:
    """All rows, centered and scaled by what the train rows alone tell."""

    seen = features[train]
    constant = (seen == seen[0]).all(0)
    std = seen.std(0, correction=0)
    return (features - seen.mean(0)) / torch.where(constant | (std == 0), 1.0, std)

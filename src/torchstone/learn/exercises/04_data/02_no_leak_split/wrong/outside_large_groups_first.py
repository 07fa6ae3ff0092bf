# rejected by: every_group_has_its_chance: The groups are drawn
# "each group with the same chance": rows are shuffled and their groups taken until there are enough, so large groups
# come first
import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Row indices for training and for testing; no group is on both sides."""

    total = len(groups.unique())
    count = min(max(round(share * total), 1), total - 1)
    chosen: list[int] = []
    for row in torch.randperm(len(groups), generator=generator).tolist():
        name = int(groups[row])
        if name not in chosen:
            chosen.append(name)
        if len(chosen) == count:
            break
    test = torch.isin(groups, torch.tensor(chosen, device=groups.device))
    return (~test).nonzero().flatten(), test.nonzero().flatten()


def standardize(features: Tensor, train: Tensor) -> Tensor:
    """All rows, centered and scaled by what the train rows alone tell."""

    seen = features[train]
    constant = (seen == seen[0]).all(0)
    std = seen.std(0, correction=0)
    return (features - seen.mean(0)) / torch.where(constant | (std == 0), 1.0, std)

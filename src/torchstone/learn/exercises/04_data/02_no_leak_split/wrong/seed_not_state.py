# rejected by: every_group_has_its_chance: The groups are drawn
# "drawn from generator ...: the same state, the same split": only its first seed is read, so every call gives the
# same split, and the generator does not move
import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Row indices for training and for testing; no group is on both sides."""

    names = groups.unique()
    count = min(max(round(share * len(names)), 1), len(names) - 1)
    generator = torch.Generator().manual_seed(generator.initial_seed())
    order = torch.randperm(len(names), generator=generator).to(groups.device)
    test = torch.isin(groups, names[order[:count]])
    return (~test).nonzero().flatten(), test.nonzero().flatten()


def standardize(features: Tensor, train: Tensor) -> Tensor:
    """All rows, centered and scaled by what the train rows alone tell."""

    seen = features[train]
    constant = (seen == seen[0]).all(0)
    std = seen.std(0, correction=0)
    return (features - seen.mean(0)) / torch.where(constant | (std == 0), 1.0, std)

# rejected by: sizes_are_right: number of groups), but at least one, and
# a small share leaves no group for the test, a large one none for training
import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    kinds, kind = groups.unique(return_inverse=True)
    count = round(share * len(kinds))
    chosen = torch.randperm(len(kinds), generator=generator)[:count]
    test = torch.isin(kind, chosen)
    return (~test).nonzero().flatten(), test.nonzero().flatten()


def standardize(features: Tensor, train: Tensor) -> Tensor:
    seen = features[train]
    mean = seen.mean(0)
    deviation = seen.std(0, correction=0)
    deviation = torch.where(seen.amax(0) == seen.amin(0), torch.ones_like(deviation), deviation)
    return (features - mean) / deviation

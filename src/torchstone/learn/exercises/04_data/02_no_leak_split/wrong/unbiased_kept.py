# rejected by: statistics_come_from_training: the task asks for the mean of squares,
# the deviation is the unbiased one (and NaN for a single train row)
import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    kinds, kind = groups.unique(return_inverse=True)
    count = min(max(round(share * len(kinds)), 1), len(kinds) - 1)
    chosen = torch.randperm(len(kinds), generator=generator)[:count]
    test = torch.isin(kind, chosen)
    return (~test).nonzero().flatten(), test.nonzero().flatten()


def standardize(features: Tensor, train: Tensor) -> Tensor:
    seen = features[train]
    mean = seen.mean(0)
    deviation = seen.std(0, correction=1)
    deviation = torch.where(seen.amax(0) == seen.amin(0), torch.ones_like(deviation), deviation)
    return (features - mean) / deviation

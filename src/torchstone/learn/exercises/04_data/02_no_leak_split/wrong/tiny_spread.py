# rejected by: small_columns_are_no_constants: A small deviation is one all the same:
# a column with a deviation below 1e-6 counts as constant, and is not scaled
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
    deviation = seen.std(0, correction=0)
    deviation = torch.where(deviation < 1e-6, torch.ones_like(deviation), deviation)
    return (features - mean) / deviation

# rejected by: sizes_are_right: number of groups), but at least one, and
# groups are added to the test side until it has its share of the rows, not of the groups
import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    kinds, kind = groups.unique(return_inverse=True)
    order = torch.randperm(len(kinds), generator=generator)
    sizes = kind.bincount()[order].cumsum(0)
    count = int((sizes <= round(share * len(groups))).sum())
    chosen = order[: min(max(count, 1), len(kinds) - 1)]
    test = torch.isin(kind, chosen)
    return (~test).nonzero().flatten(), test.nonzero().flatten()


def standardize(features: Tensor, train: Tensor) -> Tensor:
    seen = features[train]
    mean = seen.mean(0)
    deviation = seen.std(0, correction=0)
    deviation = torch.where(seen.amax(0) == seen.amin(0), torch.ones_like(deviation), deviation)
    return (features - mean) / deviation

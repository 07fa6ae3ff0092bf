# rejected by: every_choice_has_its_chance or repeatable
# the test groups are a run of neighbours in order: not every choice can be drawn
import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    kinds, kind = groups.unique(return_inverse=True)
    count = min(max(round(share * len(kinds)), 1), len(kinds) - 1)
    chosen = (torch.randint(len(kinds), (1,), generator=generator) + torch.arange(count)) % len(kinds)
    test = torch.isin(kind, chosen)
    return (~test).nonzero().flatten(), test.nonzero().flatten()


def standardize(features: Tensor, train: Tensor) -> Tensor:
    seen = features[train]
    mean = seen.mean(0)
    deviation = seen.std(0, correction=0)
    deviation = torch.where(seen.amax(0) == seen.amin(0), torch.ones_like(deviation), deviation)
    return (features - mean) / deviation

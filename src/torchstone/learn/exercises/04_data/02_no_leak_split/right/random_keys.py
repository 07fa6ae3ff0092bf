# earns: solved
# a random key for each group, Python sets, squares by hand
import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    names = sorted(set(groups.tolist()))
    count = max(1, min(len(names) - 1, round(share * len(names))))
    keys = torch.rand(len(names), generator=generator, dtype=torch.float64).tolist()
    tested = {name for _, name in sorted(zip(keys, names, strict=True))[:count]}
    sides = ([], [])
    for row, name in enumerate(groups.tolist()):
        sides[name in tested].append(row)
    return torch.tensor(sides[0], dtype=torch.int64), torch.tensor(sides[1], dtype=torch.int64)


def standardize(features: Tensor, train: Tensor) -> Tensor:
    seen = features.index_select(0, train)
    center = seen.sum(0) / len(seen)
    off = seen - center
    spread = (off * off).mean(0).sqrt()
    constant = (seen == seen[:1]).all(0)
    return (features - center) / spread.masked_fill(constant, 1)

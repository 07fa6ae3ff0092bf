# earns: solved lean
# sums and counts together by scatter_add, in float64
import torch
from torch import Tensor


def group_mean(values: Tensor, labels: Tensor, groups: int) -> Tensor:
    wide = torch.cat([values.double(), torch.ones(len(values), 1, dtype=torch.float64, device=values.device)], dim=1)
    table = torch.zeros(groups, wide.shape[1], dtype=torch.float64, device=values.device)
    table = table.scatter_add(0, labels[:, None].expand_as(wide), wide)
    sums, counts = table[:, :-1], table[:, -1:]
    return torch.where(counts > 0, sums / counts, 0.0).to(values.dtype)

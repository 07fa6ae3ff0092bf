# earns: solved
# the gradient by hand, from a table with a column of ones
import torch
from torch import Tensor


def fit_line(x: Tensor, y: Tensor, steps: int, rate: float) -> tuple[float, float]:
    table = torch.stack([x, torch.ones_like(x)], dim=1)
    line = torch.zeros(2, dtype=x.dtype, device=x.device)
    for _ in range(steps):
        off = table.mv(line) - y
        line = line - rate * (table.T.mv(off) * (2 / len(x)))
    slope, intercept = line.tolist()
    return slope, intercept

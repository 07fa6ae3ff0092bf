# rejected by: never_negative: Two large numbers cancel and leave an error of either sign
# "A squared distance is never negative, not even by a rounding error": nothing cuts it off
import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    """(n, d) and (m, d) → (n, m)."""
    squares = points.square().sum(1, keepdim=True) + others.square().sum(1)
    return torch.addmm(squares, points, others.T, alpha=-2)

# earns: solved lean
# both squares ride along as extra columns of one matrix product
import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    """(n, d) and (m, d) → (n, m)."""
    one, other = points.new_ones(len(points), 1), others.new_ones(len(others), 1)
    left = torch.cat([points * -2, points.square().sum(1, keepdim=True), one], dim=1)
    right = torch.cat([others, other, others.square().sum(1, keepdim=True)], dim=1)
    return (left @ right.mT).clamp_(min=0)

# earns: solved lean
# one matmul of augmented, centred coordinates, clamped
"""Squared distances between all pairs of points, without a tensor of n × m × d numbers."""

import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    """(n, d) and (m, d) → (n, m)."""
    if not points.numel() or not others.numel():
        return points.new_zeros(points.shape[0], others.shape[0])
    middle = others.mean(0, keepdim=True)
    a, b = points - middle, others - middle
    left = torch.linalg.vecdot(a, a).unsqueeze(1)
    right = torch.linalg.vecdot(b, b).unsqueeze(0)
    return torch.addmm(left + right, a, b.T, alpha=-2).clamp_(min=0)

# earns: solved lean
# one matrix product of points that carry their own lengths
import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    ours = torch.cat(
        [points, points.pow(2).sum(1, keepdim=True), torch.ones_like(points[:, :1].sum(1, keepdim=True))], dim=1
    )
    theirs = others.pow(2).sum(1, keepdim=True)
    right = torch.cat([-2 * others, torch.ones_like(theirs), theirs], dim=1)
    return torch.relu_(ours @ right.mT)

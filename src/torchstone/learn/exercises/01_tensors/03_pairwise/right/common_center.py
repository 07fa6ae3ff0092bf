# earns: solved lean
# everything is moved to the mean of the points first; a far point makes errors among the near ones, as the task allows
import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    if len(points):
        center = points.mean(dim=0)
        points, others = points - center, others - center
    result = torch.addmm(others.square().sum(1)[None], points, others.T, alpha=-2)
    result += points.square().sum(1)[:, None]
    return result.clamp_(min=0)

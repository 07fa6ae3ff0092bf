# rejected by: distances_are_right: ² along the rows and
# the result is float32 for float64 points, too
import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    ours = points.square().sum(dim=1, keepdim=True)
    theirs = others.square().sum(dim=1)
    result = torch.zeros(len(points), len(others))
    result += points @ others.T
    result.mul_(-2).add_(ours).add_(theirs)
    return result.clamp_(min=0)

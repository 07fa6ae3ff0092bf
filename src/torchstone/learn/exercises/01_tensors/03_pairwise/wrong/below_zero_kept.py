# rejected by: never_negative: Two large numbers cancel and leave an error
# rounding leaves small negative distances
import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    ours = points.square().sum(dim=1, keepdim=True)
    theirs = others.square().sum(dim=1)
    result = points @ others.T
    result.mul_(-2).add_(ours).add_(theirs)
    return result

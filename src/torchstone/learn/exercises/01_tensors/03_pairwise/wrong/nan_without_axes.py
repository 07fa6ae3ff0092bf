# rejected by: distances_are_right: Without points there is nothing to measure: (n
# d = 0 gives NaN and not 0, since lengths are a mean times d
import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    ours = points.square().mean(dim=1, keepdim=True) * points.shape[1]
    theirs = others.square().mean(dim=1) * others.shape[1]
    result = points @ others.T
    result.mul_(-2).add_(ours).add_(theirs)
    return result.clamp_(min=0)

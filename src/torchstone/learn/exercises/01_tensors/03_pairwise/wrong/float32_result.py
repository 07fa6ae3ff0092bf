# rejected by: distances_are_right: |a − b|² = |a|² + |b|² − 2 a·b
# "right for every size and dtype": the result, made without a dtype, is float32, so float64 is rounded
import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:

    result = torch.zeros(len(points), len(others))
    result += points.float().square().sum(1, keepdim=True)
    result += others.float().square().sum(1)
    result.addmm_(points.float(), others.float().T, alpha=-2)
    return result.clamp_(min=0)

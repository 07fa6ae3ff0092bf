# rejected by: memory_stays_small: Somewhere n × m × d numbers live at once
# "never holds more than about two n × m tensors": both squares are repeated to n × m, and each sum makes another
import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:

    n, m = len(points), len(others)
    left = points.pow(2).sum(1).view(n, 1).repeat(1, m)
    right = others.pow(2).sum(1).view(1, m).repeat(n, 1)
    cross = points @ others.t()
    twice = 2 * cross
    total = left + right
    difference = total - twice
    return torch.maximum(difference, torch.zeros_like(difference))

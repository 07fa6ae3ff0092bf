# rejected by: memory_stays_small: Somewhere n × m × d numbers live at once
# "never holds more than about two n × m tensors": vmap over both makes the tensor of n × m × d numbers all the same
import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:

    def one_to_all(point: Tensor) -> Tensor:
        return (point - others).square().sum(-1)

    return torch.func.vmap(one_to_all)(points)

# rejected by: ops_do_not_grow: A Python loop pays for each element
# "no Python loop (as many ops at any size)": one op for every feature
import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:

    result = points.new_zeros(len(points), len(others))
    for one, other in zip(points.unbind(1), others.unbind(1)):
        difference = one[:, None] - other
        result += difference.mul_(difference)
    return result

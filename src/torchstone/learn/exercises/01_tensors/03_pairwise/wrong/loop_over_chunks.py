# rejected by: memory_stays_small: Somewhere n × m × d numbers live at once
# "no Python loop (as many ops at any size)": blocks of 64 rows, more of them the more points there are
import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:

    rows = [(chunk[:, None] - others).square().sum(-1) for chunk in points.split(64)]
    return torch.cat(rows) if rows else points.new_zeros(0, len(others))

"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    """(rows, n): rows whose largest absolute value is above `limit` are scaled down to it."""
    rows = []
    # TODO: the loop, the branch and the report all break the graph
    for row in x:
        loudest = row.abs().max()
        if loudest > limit:
            print(f"loudest value {loudest.item():.2f}")
            row = row * (limit / loudest)
        rows.append(row)
    return torch.stack(rows)

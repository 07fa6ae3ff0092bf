# earns: solved lean
# a small class that holds one side, with addmm_ into broadcast squares
import torch
from torch import Tensor


class Table:
    """Points with the sum of their squares."""

    def __init__(self, rows: Tensor) -> None:
        self.rows = rows
        self.squares = (rows * rows).sum(dim=-1)

    def to(self, other: "Table") -> Tensor:
        sums = torch.add(self.squares.unsqueeze(-1), other.squares)
        torch.addmm(sums, self.rows, other.rows.transpose(0, 1), beta=1, alpha=-2, out=sums)
        return sums.clamp_min_(0)


def squared_distances(points: Tensor, others: Tensor) -> Tensor:

    with torch.no_grad():
        return Table(points).to(Table(others))

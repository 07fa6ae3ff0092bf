"""Tensor parallelism: each rank has a share of the hidden units, and the ranks add up what comes of them."""

from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.functional import gelu


class CopyToRanks(torch.autograd.Function):
    """x, as every rank goes on with it."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        # TODO
        raise NotImplementedError("CopyToRanks.forward")

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        # TODO
        raise NotImplementedError("CopyToRanks.backward")


class SumOverRanks(torch.autograd.Function):
    """The sum of what the ranks have."""

    @staticmethod
    def forward(ctx: Any, partial: Tensor) -> Tensor:
        # TODO
        raise NotImplementedError("SumOverRanks.forward")

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        # TODO
        raise NotImplementedError("SumOverRanks.backward")


class ParallelMLP(nn.Module):
    """down(gelu(up(x))), cut along the hidden units."""

    def __init__(self, up: nn.Linear, down: nn.Linear) -> None:
        super().__init__()
        # TODO: keep this rank's rows of up and columns of down
        self.up = up
        self.down = down

    def forward(self, x: Tensor) -> Tensor:
        # TODO: each rank its hidden units, one sum, one bias
        return self.down(gelu(self.up(x)))


def sum_over_ranks(tensor: Tensor) -> Tensor:
    """The sum over the ranks as a new tensor."""
    # TODO
    raise NotImplementedError("sum_over_ranks")

# earns: solved lean
# asynchronous all-reduce with a handle, shares by unflatten
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
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        return sum_over_ranks(gradient)


class SumOverRanks(torch.autograd.Function):
    """The sum of what the ranks have."""

    @staticmethod
    def forward(ctx: Any, partial: Tensor) -> Tensor:
        return sum_over_ranks(partial)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        return gradient


class ParallelMLP(nn.Module):
    """down(gelu(up(x))), cut along the hidden units."""

    def __init__(self, up: nn.Linear, down: nn.Linear) -> None:
        super().__init__()
        rank, world = dist.get_rank(), dist.get_world_size()
        share = up.out_features // world
        self.up = nn.utils.skip_init(nn.Linear, up.in_features, share)
        self.down = nn.utils.skip_init(nn.Linear, share, down.out_features)
        pieces = {
            self.up.weight: up.weight.unflatten(0, (world, share))[rank],
            self.up.bias: up.bias.unflatten(0, (world, share))[rank],
            self.down.weight: down.weight.unflatten(1, (world, share))[:, rank],
            self.down.bias: down.bias,
        }
        for parameter, piece in pieces.items():
            parameter.data.copy_(piece.detach())

    def forward(self, x: Tensor) -> Tensor:
        hidden = gelu(self.up(CopyToRanks.apply(x)))
        return SumOverRanks.apply(torch.matmul(hidden, self.down.weight.mT)) + self.down.bias


def sum_over_ranks(tensor: Tensor) -> Tensor:
    """The sum over the ranks as a new tensor."""
    total = torch.empty(tensor.shape, dtype=tensor.dtype, device=tensor.device).copy_(tensor)
    work = dist.all_reduce(total, op=dist.ReduceOp.SUM, async_op=True)
    work.wait()
    return total

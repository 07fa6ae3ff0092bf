# rejected by: two_ranks_make_one_layer: A sum passes the gradient of the output on to each rank as it
# each rank adds its part of the bias before the sum, so the bias gets only 1 / world of its gradient; promised: "the
# whole bias, which belongs into the sum once", right gradients "of this rank's share"
"""Tensor parallelism: each rank has a share of the hidden units, and the ranks add up what comes of them."""

from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.functional import gelu, linear


def sum_over_ranks(tensor: Tensor) -> Tensor:
    """The sum over the ranks as a new tensor."""
    result = tensor.detach().clone(memory_format=torch.contiguous_format)
    dist.all_reduce(result, op=dist.ReduceOp.SUM)
    return result


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
        place = {"device": up.weight.device, "dtype": up.weight.dtype}
        self.up = nn.Linear(up.in_features, share, bias=up.bias is not None, **place)
        self.down = nn.Linear(share, down.out_features, bias=down.bias is not None, **place)
        with torch.no_grad():
            self.up.weight.copy_(up.weight.chunk(world, dim=0)[rank])
            self.down.weight.copy_(down.weight.chunk(world, dim=1)[rank])
            if up.bias is not None:
                self.up.bias.copy_(up.bias.chunk(world)[rank])
            if down.bias is not None:
                self.down.bias.copy_(down.bias)

    def forward(self, x: Tensor) -> Tensor:
        hidden = gelu(self.up(CopyToRanks.apply(x)))
        bias = None if self.down.bias is None else self.down.bias / dist.get_world_size()
        return SumOverRanks.apply(linear(hidden, self.down.weight, bias))

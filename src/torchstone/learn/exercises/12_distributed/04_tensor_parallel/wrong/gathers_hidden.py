# rejected by: two_all_reduces_are_enough: One all-reduce of the output and one of x's gradient are enough
# (lean): "one all-reduce forward and one backward, each of the size of x, and nothing else": a second collective for
# the bias
"""Tensor parallelism: each rank has a share of the hidden units, and the ranks add up what comes of them."""

from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.functional import gelu, linear


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


def _layer(weight: Tensor, bias: Tensor | None) -> nn.Linear:
    layer = nn.Linear(weight.shape[1], weight.shape[0], bias is not None, device=weight.device, dtype=weight.dtype)
    with torch.no_grad():
        layer.weight.copy_(weight)
        if bias is not None:
            layer.bias.copy_(bias)
    return layer


class ParallelMLP(nn.Module):
    """down(gelu(up(x))), cut along the hidden units."""

    def __init__(self, up: nn.Linear, down: nn.Linear) -> None:
        super().__init__()
        rank, world = dist.get_rank(), dist.get_world_size()
        bias = None if up.bias is None else up.bias.chunk(world)[rank]
        self.up = _layer(up.weight.chunk(world)[rank], bias)
        self.down = _layer(down.weight.chunk(world, 1)[rank], down.bias)

    def forward(self, x: Tensor) -> Tensor:
        hidden = gelu(self.up(CopyToRanks.apply(x)))
        total = SumOverRanks.apply(linear(hidden, self.down.weight))
        if self.down.bias is None:
            return total
        first = 1.0 if dist.get_rank() == 0 else 0.0
        return total + self.down.bias + (sum_over_ranks(self.down.bias * first) - self.down.bias).detach()


def sum_over_ranks(tensor: Tensor) -> Tensor:
    """The sum over the ranks as a new tensor."""
    result = tensor.detach().clone(memory_format=torch.contiguous_format)
    dist.all_reduce(result)
    return result

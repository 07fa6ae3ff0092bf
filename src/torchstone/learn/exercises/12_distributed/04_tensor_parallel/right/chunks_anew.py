# earns: solved lean
# chunks of weights as parameters of meta layers, setup_context
"""Tensor parallelism: each rank has a share of the hidden units, and the ranks add up what comes of them."""

from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.functional import gelu


def sum_over_ranks(tensor: Tensor) -> Tensor:
    """The sum over the ranks as a new tensor."""
    total = tensor.detach().clone(memory_format=torch.contiguous_format)
    work = dist.all_reduce(total, op=dist.ReduceOp.SUM, async_op=True)
    work.wait()
    return total


class CopyToRanks(torch.autograd.Function):
    """x, as every rank goes on with it."""

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return x.clone()

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor], output: Tensor) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        return sum_over_ranks(gradient)


class SumOverRanks(torch.autograd.Function):
    """The sum of what the ranks have."""

    @staticmethod
    def forward(partial: Tensor) -> Tensor:
        return sum_over_ranks(partial)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor], output: Tensor) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        return gradient.clone()


def _layer(weight: Tensor, bias: Tensor) -> nn.Linear:
    layer = nn.Linear(weight.shape[1], weight.shape[0], device="meta")
    layer.weight = nn.Parameter(weight.detach().clone(memory_format=torch.contiguous_format))
    layer.bias = nn.Parameter(bias.detach().clone())
    return layer


class ParallelMLP(nn.Module):
    """down(gelu(up(x))), cut along the hidden units."""

    def __init__(self, up: nn.Linear, down: nn.Linear) -> None:
        super().__init__()
        rank, world = dist.get_rank(), dist.get_world_size()
        self.up = _layer(up.weight.chunk(world)[rank], up.bias.chunk(world)[rank])
        self.down = _layer(down.weight.chunk(world, dim=1)[rank], down.bias)

    def forward(self, x: Tensor) -> Tensor:
        hidden = gelu(self.up(CopyToRanks.apply(x)))
        partial = torch.matmul(hidden, self.down.weight.mT)
        return torch.add(self.down.bias, SumOverRanks.apply(partial))

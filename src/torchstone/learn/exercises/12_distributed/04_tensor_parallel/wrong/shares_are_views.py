# rejected by: two_ranks_make_one_layer: A view keeps the whole layer in memory, and training it
# the shares look into the memory of the full layers; 'keeps copies of this rank's share'
"""Tensor parallelism: each rank has a share of the hidden units, and the ranks add up what comes of them."""

import copy
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


def layer(weight: Tensor, bias: Tensor | None) -> nn.Linear:
    """A linear layer of these, which it copies."""
    outputs, inputs = weight.shape
    made = nn.Linear(inputs, outputs, bias is not None, device="meta")
    made.weight = nn.Parameter(weight.detach())
    if bias is not None:
        made.bias = nn.Parameter(bias.detach())
    return made


class ParallelMLP(nn.Module):
    """down(gelu(up(x))), cut along the hidden units."""

    def __init__(self, up: nn.Linear, down: nn.Linear) -> None:
        super().__init__()
        rank, world = dist.get_rank(), dist.get_world_size()
        share = up.out_features // world
        units = slice(rank * share, (rank + 1) * share)
        self.up = layer(up.weight[units], None if up.bias is None else up.bias[units])
        self.down = layer(down.weight[:, units], down.bias)

    def forward(self, x: Tensor) -> Tensor:
        hidden = gelu(self.up(CopyToRanks.apply(x)))
        result = SumOverRanks.apply(linear(hidden, self.down.weight))
        return result if self.down.bias is None else result + self.down.bias


def sum_over_ranks(tensor: Tensor) -> Tensor:
    """The sum over the ranks as a new tensor."""
    total = tensor.clone(memory_format=torch.contiguous_format)
    dist.all_reduce(total)
    return total

# earns: solved lean
# layers made on meta, filled by load_state_dict with assign
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
        return x.clone()

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
        rows, biases = up.weight.detach().chunk(world)[rank], up.bias.detach().chunk(world)[rank]
        columns = down.weight.detach().chunk(world, dim=1)[rank]
        self.up = nn.Linear(up.in_features, len(rows), device="meta")
        self.down = nn.Linear(len(rows), down.out_features, device="meta")
        self.up.load_state_dict({"weight": rows.clone(), "bias": biases.clone()}, assign=True)
        copy = columns.clone(memory_format=torch.contiguous_format)
        self.down.load_state_dict({"weight": copy, "bias": down.bias.detach().clone()}, assign=True)

    def forward(self, x: Tensor) -> Tensor:
        hidden = gelu(self.up(CopyToRanks.apply(x)))
        return torch.add(SumOverRanks.apply(nn.functional.linear(hidden, self.down.weight)), self.down.bias)


def sum_over_ranks(tensor: Tensor) -> Tensor:
    """The sum over the ranks as a new tensor."""
    total = tensor.clone(memory_format=torch.contiguous_format)
    dist.all_reduce(total)
    return total

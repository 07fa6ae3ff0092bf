# rejected by: two_ranks_make_one_layer: A view keeps the whole layer in memory, and training
# 'keeps copies of this rank's share, and nothing else of them': a copy of the full weight lives on
"""Tensor parallelism: each rank has a share of the hidden units, and the ranks add up what comes of them."""

from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.functional import gelu, linear


class CopyToRanks(torch.autograd.Function):
    """x, as every rank goes on with it. Each has a part in the gradient of x: they add up on the way back."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        return sum_over_ranks(gradient)


class SumOverRanks(torch.autograd.Function):
    """The sum of what the ranks have. Each term has slope 1, so the gradient passes as it is."""

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
        self.full = [up.weight.detach().clone()]
        share = up.out_features // dist.get_world_size()
        own = slice(dist.get_rank() * share, (dist.get_rank() + 1) * share)
        self.up = nn.Linear(up.in_features, share)
        self.down = nn.Linear(share, down.out_features)
        with torch.no_grad():
            self.up.weight.copy_(up.weight[own])
            self.up.bias.copy_(up.bias[own])
            self.down.weight.copy_(down.weight[:, own])
            self.down.bias.copy_(down.bias)

    def forward(self, x: Tensor) -> Tensor:
        hidden = gelu(self.up(CopyToRanks.apply(x)))
        # The bias comes after the sum: inside, every rank would add it.
        return SumOverRanks.apply(linear(hidden, self.down.weight)) + self.down.bias


def sum_over_ranks(tensor: Tensor) -> Tensor:
    """A new tensor: neither a result nor a gradient of someone else's may be changed in place."""
    total = tensor.clone(memory_format=torch.contiguous_format)
    dist.all_reduce(total)
    return total

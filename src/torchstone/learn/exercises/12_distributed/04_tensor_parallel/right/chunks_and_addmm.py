# earns: solved lean
# shares by chunk, layers without first weights, the bias by torch.add
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
        world, rank = dist.get_world_size(), dist.get_rank()
        rows, biases = (full.detach().chunk(world)[rank] for full in (up.weight, up.bias))
        columns = down.weight.detach().chunk(world, dim=1)[rank]
        self.up = nn.utils.skip_init(nn.Linear, up.in_features, len(rows))
        self.down = nn.utils.skip_init(nn.Linear, len(rows), down.out_features)
        self.up.load_state_dict({"weight": rows, "bias": biases})
        self.down.load_state_dict({"weight": columns, "bias": down.bias.detach()})

    def forward(self, x: Tensor) -> Tensor:
        hidden = gelu(self.up(CopyToRanks.apply(x)))
        return torch.add(SumOverRanks.apply(hidden @ self.down.weight.mT), self.down.bias)


def sum_over_ranks(tensor: Tensor) -> Tensor:
    """The sum over the ranks as a new tensor."""
    total = torch.empty(tensor.shape, dtype=tensor.dtype, device=tensor.device).copy_(tensor)
    dist.all_reduce(total)
    return total

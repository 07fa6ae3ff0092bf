# rejected by: two_ranks_make_one_layer: A view keeps the whole layer in memory
# 'keeps copies of this rank's share: `self.up`: an nn.Linear with hidden / world units': the whole layers are kept
# and cut in forward
"""Tensor parallelism: each rank has a share of the hidden units, and the ranks add up what comes of them."""

from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.functional import gelu, linear


def sum_over_ranks(tensor: Tensor) -> Tensor:
    """The sum over the ranks as a new tensor."""
    result = tensor.detach().clone(memory_format=torch.contiguous_format)
    dist.all_reduce(result)
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
    def __init__(self, up: nn.Linear, down: nn.Linear) -> None:
        super().__init__()
        self.up, self.down = up, down
        size = up.out_features // dist.get_world_size()
        self.mine = slice(dist.get_rank() * size, (dist.get_rank() + 1) * size)

    def forward(self, x: Tensor) -> Tensor:
        bias = None if self.up.bias is None else self.up.bias[self.mine]
        hidden = gelu(linear(CopyToRanks.apply(x), self.up.weight[self.mine], bias))
        result = SumOverRanks.apply(linear(hidden, self.down.weight[:, self.mine]))
        return result if self.down.bias is None else result + self.down.bias

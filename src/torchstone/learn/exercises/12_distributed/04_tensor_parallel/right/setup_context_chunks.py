# earns: solved lean
# functions with setup_context, shares by chunk, the layers built by a helper
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
    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return x.clone()

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor], output: Tensor) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        total = torch.empty(gradient.shape, dtype=gradient.dtype, device=gradient.device).copy_(gradient)
        dist.all_reduce(total, op=dist.ReduceOp.SUM)
        return total


class SumOverRanks(torch.autograd.Function):
    @staticmethod
    def forward(partial: Tensor) -> Tensor:
        return sum_over_ranks(partial)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor], output: Tensor) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        return gradient.clone()


def _layer(weight: Tensor, bias: Tensor | None) -> nn.Linear:
    layer = nn.Linear(weight.shape[1], weight.shape[0], bias=bias is not None, device="meta")
    layer.weight = nn.Parameter(weight.detach().clone(memory_format=torch.contiguous_format))
    if bias is not None:
        layer.bias = nn.Parameter(bias.detach().clone())
    return layer


class ParallelMLP(nn.Module):
    def __init__(self, up: nn.Linear, down: nn.Linear) -> None:
        super().__init__()
        rank, world = dist.get_rank(), dist.get_world_size()
        self.up = _layer(up.weight.chunk(world)[rank], None if up.bias is None else up.bias.chunk(world)[rank])
        self.down = _layer(down.weight.chunk(world, 1)[rank], down.bias)

    def forward(self, x: Tensor) -> Tensor:
        shared = CopyToRanks.apply(x)
        partial = gelu(self.up(shared)) @ self.down.weight.T
        total = SumOverRanks.apply(partial)
        if self.down.bias is not None:
            total = total + self.down.bias
        return total

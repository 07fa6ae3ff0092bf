# earns: solved lean
# chunks loaded as state dicts, einsum, setup_context
"""Tensor parallelism: chunks of the full layers become parameters, and the products are written out."""

from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.functional import gelu


class CopyToRanks(torch.autograd.Function):
    """x, as every rank goes on with it."""

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return x.view_as(x)

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


def layer(weight: Tensor, bias: Tensor) -> nn.Linear:
    """A linear layer of these numbers, copied."""
    result = nn.utils.skip_init(nn.Linear, weight.shape[1], weight.shape[0])
    result.load_state_dict({"weight": weight.detach(), "bias": bias.detach()})
    return result


class ParallelMLP(nn.Module):
    """down(gelu(up(x))), cut along the hidden units."""

    def __init__(self, up: nn.Linear, down: nn.Linear) -> None:
        super().__init__()
        rank, world = dist.get_rank(), dist.get_world_size()
        self.up = layer(up.weight.chunk(world, dim=0)[rank], up.bias.chunk(world)[rank])
        self.down = layer(down.weight.chunk(world, dim=1)[rank], down.bias)

    def forward(self, x: Tensor) -> Tensor:
        units = torch.einsum("...d,hd->...h", CopyToRanks.apply(x), self.up.weight) + self.up.bias
        partial = gelu(units) @ self.down.weight.T
        return torch.add(self.down.bias, SumOverRanks.apply(partial))


def sum_over_ranks(tensor: Tensor) -> Tensor:
    """The sum over the ranks as a new tensor."""
    buffer = torch.empty(tensor.shape, dtype=tensor.dtype, device=tensor.device)
    buffer.copy_(tensor)
    dist.all_reduce(buffer, op=dist.ReduceOp.SUM)
    return buffer

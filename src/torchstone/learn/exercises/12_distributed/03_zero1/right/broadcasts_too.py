# earns: solved lean
# every rank broadcasts its own piece, a rank without numbers has no optimizer
"""ZeRO stage 1: every rank keeps the optimizer state of its own share of all parameters, and of no more."""

from collections.abc import Callable, Iterable

import torch
import torch.distributed as dist
from torch import Tensor, nn

MakeOptimizer = Callable[[list[Tensor]], torch.optim.Optimizer]


class ShardedOptimizer:
    """Wraps an optimizer that treats each number by itself."""

    def __init__(self, parameters: Iterable[nn.Parameter], make_optimizer: MakeOptimizer) -> None:
        self.parameters = list(parameters)
        self.sizes = [parameter.numel() for parameter in self.parameters]
        n, world = sum(self.sizes), dist.get_world_size()
        self.borders = [rank * n // world for rank in range(world + 1)]
        self.mine = slice(*self.borders[dist.get_rank() :][:2])
        self.shard = nn.Parameter(torch.zeros(self.mine.stop - self.mine.start))
        self.inner = make_optimizer([self.shard]) if self.shard.numel() else None

    @torch.no_grad()
    def step(self) -> None:
        """Average the gradients, step this rank's piece, gather all pieces into the parameters."""
        slopes = torch.cat([parameter.grad.flatten() for parameter in self.parameters])
        dist.all_reduce(slopes)
        vector = torch.cat([parameter.flatten() for parameter in self.parameters])
        if self.inner is not None:
            self.shard.copy_(vector[self.mine])
            self.shard.grad = slopes[self.mine].div(dist.get_world_size())
            self.inner.step()
            self.shard.grad = None
            vector[self.mine] = self.shard
        for rank, (begin, end) in enumerate(zip(self.borders, self.borders[1:])):
            if begin < end:
                piece = vector[begin:end].contiguous()
                dist.broadcast(piece, src=rank)
                vector[begin:end] = piece
        for parameter, values in zip(self.parameters, vector.split(self.sizes)):
            parameter.copy_(values.reshape(parameter.shape))

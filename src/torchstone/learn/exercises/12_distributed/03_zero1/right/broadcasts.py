# earns: solved lean
# gradients averaged one parameter at a time, and every rank broadcasts its piece
"""ZeRO stage 1: every rank keeps the optimizer state of its own share of all parameters, and of no more."""

import math
from collections.abc import Callable, Iterable

import torch
import torch.distributed as dist
from torch import Tensor, nn

MakeOptimizer = Callable[[list[Tensor]], torch.optim.Optimizer]


class ShardedOptimizer:
    """Wraps an optimizer that treats each number by itself."""

    def __init__(self, parameters: Iterable[nn.Parameter], make_optimizer: MakeOptimizer) -> None:
        self.parameters = list(parameters)
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        total = sum(parameter.numel() for parameter in self.parameters)
        share = math.ceil(total / self.world)
        self.lengths = [max(0, min(share, total - rank * share)) for rank in range(self.world)]
        with torch.no_grad():
            vector = nn.utils.parameters_to_vector(self.parameters)
            self.own = nn.Parameter(vector.split(self.lengths)[self.rank].clone())
        self.optimizer = make_optimizer([self.own])

    @torch.no_grad()
    def step(self) -> None:
        """Average the gradients, step this rank's piece, gather all pieces into the parameters."""
        means = []
        for parameter in self.parameters:
            mean = parameter.grad.clone(memory_format=torch.contiguous_format)
            dist.all_reduce(mean)
            means.append(mean.flatten().div_(self.world))
        vector = torch.cat([parameter.flatten() for parameter in self.parameters])
        pieces = list(vector.split(self.lengths))
        self.own.copy_(pieces[self.rank])
        self.own.grad = torch.cat(means).split(self.lengths)[self.rank].clone()
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        for rank, piece in enumerate(pieces):
            buffer = self.own.detach().clone() if rank == self.rank else torch.empty_like(piece)
            if len(buffer):
                dist.broadcast(buffer, src=rank)
            pieces[rank] = buffer
        stepped = torch.cat(pieces).split([parameter.numel() for parameter in self.parameters])
        for parameter, numbers in zip(self.parameters, stepped, strict=True):
            parameter.copy_(numbers.reshape(parameter.shape))

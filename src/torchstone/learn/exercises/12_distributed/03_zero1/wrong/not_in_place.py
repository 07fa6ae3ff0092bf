# rejected by: steps_are_right_on_two_ranks: Others hold views of the parameters
# 'write the stepped pieces of all ranks into the parameters, in place': .data is replaced by views of a new vector
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
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        self.count = sum(parameter.numel() for parameter in self.parameters)
        self.size = -(-self.count // self.world)
        start = min(self.rank * self.size, self.count)
        self.own = slice(start, min(start + self.size, self.count))
        self.piece = nn.Parameter(self.flat(self.parameters)[self.own].clone())
        self.optimizer = make_optimizer([self.piece])

    @staticmethod
    def flat(tensors: Iterable[Tensor]) -> Tensor:
        return torch.cat([tensor.detach().reshape(-1) for tensor in tensors])

    @torch.no_grad()
    def step(self) -> None:
        gradient = self.flat(parameter.grad for parameter in self.parameters)
        dist.all_reduce(gradient)
        gradient /= self.world
        self.piece.copy_(self.flat(self.parameters)[self.own])
        self.piece.grad = gradient[self.own].clone()
        self.optimizer.step()
        self.piece.grad = None
        mine = self.piece.new_zeros(self.size)
        mine[: len(self.piece)] = self.piece
        pieces = [torch.empty_like(mine) for _ in range(self.world)]
        dist.all_gather(pieces, mine)
        whole = torch.cat(pieces)[: self.count]
        for parameter, part in zip(self.parameters, whole.split([p.numel() for p in self.parameters])):
            parameter.data = part.view(parameter.shape)

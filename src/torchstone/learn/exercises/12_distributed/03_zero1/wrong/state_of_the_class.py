# rejected by: steps_are_right_on_two_ranks: every rank: RuntimeError
# piece and inner optimizer belong to the class, so a second optimizer takes the place of the first one's; 'rank r owns the
# r-th piece'
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
        rank, world = dist.get_rank(), dist.get_world_size()
        n = sum(parameter.numel() for parameter in self.parameters)
        self.size = -(-n // world)
        # Pieces of one size, because collectives want that; the last one is filled up with zeros.
        self.padding = self.size * world - n
        self.own = slice(rank * self.size, (rank + 1) * self.size)
        type(self).piece = torch.zeros(self.size)
        type(self).optimizer = make_optimizer([self.piece])

    @torch.no_grad()
    def step(self) -> None:
        """Average the gradients, step this rank's piece, gather all pieces into the parameters."""
        world = dist.get_world_size()
        gradient = self._flatten([parameter.grad for parameter in self.parameters])
        dist.all_reduce(gradient)
        self.piece.grad = gradient[self.own] / world
        self.piece.copy_(self._flatten(self.parameters)[self.own])
        self.optimizer.step()
        self.piece.grad = None  # what lives until the next step is the piece and its state

        pieces = [torch.empty_like(self.piece) for _ in range(world)]
        dist.all_gather(pieces, self.piece)
        self._write_back(torch.cat(pieces))

    def _flatten(self, tensors: list[Tensor]) -> Tensor:
        """All numbers in one vector, filled up to world · size."""
        return torch.cat([*(tensor.flatten() for tensor in tensors), self.piece.new_zeros(self.padding)])

    def _write_back(self, numbers: Tensor) -> None:
        sizes = [parameter.numel() for parameter in self.parameters]
        for parameter, values in zip(self.parameters, numbers.split([*sizes, self.padding]), strict=False):
            parameter.copy_(values.view_as(parameter))

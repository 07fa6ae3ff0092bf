# rejected by: steps_are_right_on_two_ranks: Each number is stepped by its owner, from the mean gradient
# steps from the piece of the last step, not from the parameters; 'starting from what the parameters are now (someone
# may have loaded a checkpoint since the last step)'
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
        size = -(-n // world)
        self.bounds = [(min(r * size, n), min((r + 1) * size, n)) for r in range(world)]
        self.start, self.end = self.bounds[rank]
        self.piece: nn.Parameter | None = None
        if self.end > self.start:
            flat = torch.cat([parameter.detach().reshape(-1) for parameter in self.parameters])
            self.piece = nn.Parameter(flat[self.start : self.end].clone())
            self.optimizer = make_optimizer([self.piece])

    @torch.no_grad()
    def step(self) -> None:
        """Average the gradients, step this rank's piece, gather all pieces into the parameters."""
        flat = torch.cat([parameter.detach().reshape(-1) for parameter in self.parameters])
        gradient = torch.cat([parameter.grad.reshape(-1) for parameter in self.parameters])
        dist.all_reduce(gradient)
        gradient /= len(self.bounds)
        if self.piece is not None:
            self.piece.grad = gradient[self.start : self.end].clone()
            self.optimizer.step()
            self.piece.grad = None
            flat[self.start : self.end] = self.piece
        for owner, (start, end) in enumerate(self.bounds):
            if end > start:
                dist.broadcast(flat[start:end], src=owner)
        place = 0
        for parameter in self.parameters:
            parameter.copy_(flat[place : place + parameter.numel()].view_as(parameter))
            place += parameter.numel()

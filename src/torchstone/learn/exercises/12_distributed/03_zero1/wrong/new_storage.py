# rejected by: steps_are_right_on_two_ranks: Others hold views of the parameters, and would see
# the parameters get new memory instead of new values in theirs; 'write the stepped pieces of all ranks into the
# parameters, in place'
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
        self.world = dist.get_world_size()
        count = sum(one.numel() for one in self.parameters)
        self.size = -(-count // self.world)
        self.begin = min(dist.get_rank() * self.size, count)
        self.end = min(self.begin + self.size, count)
        self.piece = torch.zeros(self.end - self.begin)
        self.optimizer = make_optimizer([self.piece]) if self.end > self.begin else None

    @torch.no_grad()
    def step(self) -> None:
        """Average the gradients, step this rank's piece, gather all pieces into the parameters."""
        gradients = torch.cat([one.grad.reshape(-1) for one in self.parameters])
        dist.all_reduce(gradients)
        gradients /= self.world
        if self.optimizer is not None:
            values = torch.cat([one.reshape(-1) for one in self.parameters])
            self.piece.copy_(values[self.begin : self.end])
            self.piece.grad = gradients[self.begin : self.end].clone()
            self.optimizer.step()
            self.piece.grad = None
        mine = torch.zeros(self.size)
        mine[: self.end - self.begin] = self.piece
        pieces = [torch.empty(self.size) for _ in range(self.world)]
        dist.all_gather(pieces, mine)
        stepped, start = torch.cat(pieces), 0
        for one in self.parameters:
            one.data = stepped[start : start + one.numel()].view_as(one).clone()
            start += one.numel()

# rejected by: steps_are_right_on_two_ranks: The gradients are added
# adds the gradients up and does not average them; Adam hardly notices, SGD steps world times too far; breaks
# 'average the gradients over the ranks'
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
        n = sum(parameter.numel() for parameter in self.parameters)
        self.length = -(-n // dist.get_world_size())
        self.begin = min(dist.get_rank() * self.length, n)
        self.end = min(self.begin + self.length, n)
        self.piece = torch.zeros(self.end - self.begin)
        self.optimizer = make_optimizer([self.piece]) if self.piece.numel() else None

    @torch.no_grad()
    def step(self) -> None:
        """Average the gradients, step this rank's piece, gather all pieces into the parameters."""
        world = dist.get_world_size()
        gradient = torch.cat([parameter.grad.reshape(-1) for parameter in self.parameters])
        dist.all_reduce(gradient)
        numbers = torch.cat([parameter.reshape(-1) for parameter in self.parameters])
        mine = slice(self.begin, self.end)
        if self.optimizer is not None:
            self.piece.copy_(numbers[mine])
            self.piece.grad = gradient[mine].clone()
            self.optimizer.step()
            self.piece.grad = None
        sent = torch.zeros(self.length)
        sent[: self.piece.numel()] = self.piece
        pieces = [torch.empty(self.length) for _ in range(world)]
        dist.all_gather(pieces, sent)
        numbers = torch.cat(pieces)
        begin = 0
        for parameter in self.parameters:
            parameter.copy_(numbers[begin : begin + parameter.numel()].view(parameter.shape))
            begin += parameter.numel()

# rejected by: steps_are_right_on_two_ranks: The gradients are added
# "average the gradients over the ranks": the gradients are added and not divided
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
        self.n = sum(parameter.numel() for parameter in self.parameters)
        self.world = dist.get_world_size()
        self.share = -(-self.n // self.world)
        self.begin = min(dist.get_rank() * self.share, self.n)
        self.end = min(self.begin + self.share, self.n)
        self.piece = self.line_up(self.parameters)[self.begin : self.end].clone()
        self.optimizer = make_optimizer([self.piece])

    @staticmethod
    def line_up(tensors: Iterable[Tensor]) -> Tensor:
        """All numbers as one vector."""
        return torch.cat([tensor.detach().reshape(-1) for tensor in tensors])

    @torch.no_grad()
    def step(self) -> None:
        """Average the gradients, step this rank's piece, gather all pieces into the parameters."""
        gradient = self.line_up(parameter.grad for parameter in self.parameters)
        dist.all_reduce(gradient)
        self.piece.copy_(self.line_up(self.parameters)[self.begin : self.end])
        self.piece.grad = gradient[self.begin : self.end]
        self.optimizer.step()
        self.piece.grad = None
        padded = torch.zeros(self.share)
        padded[: self.end - self.begin] = self.piece
        pieces = [torch.empty(self.share) for _ in range(self.world)]
        dist.all_gather(pieces, padded)
        whole = torch.cat(pieces)[: self.n]
        for parameter, part in zip(self.parameters, whole.split([one.numel() for one in self.parameters])):
            parameter.copy_(part.view_as(parameter))

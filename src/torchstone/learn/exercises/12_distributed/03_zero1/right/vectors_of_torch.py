# earns: solved lean
# a padded vector and one sum of padded pieces: every rank puts its piece into zeros and all are added
"""ZeRO stage 1: every rank keeps the optimizer state of its own share of all parameters, and of no more."""

from collections.abc import Callable, Iterable

import torch
import torch.distributed as dist
from torch import Tensor, nn

MakeOptimizer = Callable[[list[Tensor]], torch.optim.Optimizer]


class ShardedOptimizer:
    def __init__(self, parameters: Iterable[nn.Parameter], make_optimizer: MakeOptimizer) -> None:
        self.parameters = list(parameters)
        total = sum(map(torch.numel, self.parameters))
        size = (total + dist.get_world_size() - 1) // dist.get_world_size()
        self.begin = min(dist.get_rank() * size, total)
        self.end = min(self.begin + size, total)
        self.total = total
        self.piece = torch.zeros(self.end - self.begin, dtype=self.parameters[0].dtype, requires_grad=True)
        self.inner = make_optimizer([self.piece])

    def _line(self, gradients: bool) -> Tensor:
        line = torch.empty(self.total, dtype=self.piece.dtype)
        start = 0
        for parameter in self.parameters:
            source = parameter.grad if gradients else parameter
            line[start : start + parameter.numel()].view(parameter.shape).copy_(source)
            start += parameter.numel()
        return line

    @torch.no_grad()
    def step(self) -> None:
        gradient = self._line(True)
        dist.all_reduce(gradient)
        self.piece.copy_(self._line(False)[self.begin : self.end])
        self.piece.grad = gradient[self.begin : self.end] / dist.get_world_size()
        self.inner.step()
        self.piece.grad = None
        line = torch.zeros(self.total, dtype=self.piece.dtype)
        line[self.begin : self.end] = self.piece
        dist.all_reduce(line)
        start = 0
        for parameter in self.parameters:
            parameter.copy_(line[start : start + parameter.numel()].view(parameter.shape))
            start += parameter.numel()

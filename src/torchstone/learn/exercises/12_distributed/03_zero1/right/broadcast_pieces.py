# earns: solved lean
# each piece is reduced to and broadcast from its owner; pieces by tensor_split
"""ZeRO stage 1: every rank keeps the optimizer state of its own share of all parameters, and of no more."""

from collections.abc import Callable, Iterable

import torch
import torch.distributed as dist
from torch import Tensor, nn

MakeOptimizer = Callable[[list[Tensor]], torch.optim.Optimizer]


class ShardedOptimizer:
    def __init__(self, parameters: Iterable[nn.Parameter], make_optimizer: MakeOptimizer) -> None:
        self.parameters = [*parameters]
        self.me = dist.get_rank()
        with torch.no_grad():
            mine = self._cut([parameter for parameter in self.parameters])[self.me]
        self.shard = mine.clone().requires_grad_()
        self.optimizer = make_optimizer([self.shard]) if mine.numel() else None

    def _cut(self, tensors: list[Tensor]) -> list[Tensor]:
        line = torch.cat([tensor.detach().flatten() for tensor in tensors])
        return list(line.tensor_split(dist.get_world_size()))

    @torch.no_grad()
    def step(self) -> None:
        gradients = self._cut([parameter.grad for parameter in self.parameters])
        values = self._cut(self.parameters)
        for owner, gradient in enumerate(gradients):
            if gradient.numel():
                dist.reduce(gradient, owner)
        if self.optimizer is not None:
            self.shard.copy_(values[self.me])
            self.shard.grad = gradients[self.me].div(dist.get_world_size())
            self.optimizer.step()
            self.shard.grad = None
            values[self.me] = self.shard.detach().clone()
        for owner, value in enumerate(values):
            if value.numel():
                dist.broadcast(value, owner)
        line, start = torch.cat(values), 0
        for parameter in self.parameters:
            parameter.copy_(line[start : start + parameter.numel()].reshape(parameter.shape))
            start += parameter.numel()

# rejected by: state_is_shared_out: State for one's own piece only
# 'rank r owns the r-th piece, at most ⌈n / world⌉ numbers. A parameter may be cut in two': whole parameters are dealt
# out in turn
"""ZeRO stage 1: every rank keeps the optimizer state of its own share of all parameters, and of no more."""

from collections.abc import Callable, Iterable

import torch
import torch.distributed as dist
from torch import Tensor, nn

MakeOptimizer = Callable[[list[Tensor]], torch.optim.Optimizer]


class ShardedOptimizer:
    def __init__(self, parameters: Iterable[nn.Parameter], make_optimizer: MakeOptimizer) -> None:
        self.parameters = list(parameters)
        self.mine = self.parameters[dist.get_rank() :: dist.get_world_size()]
        self.optimizer = make_optimizer(self.mine) if self.mine else None

    @torch.no_grad()
    def step(self) -> None:
        for parameter in self.parameters:
            dist.all_reduce(parameter.grad)
            parameter.grad /= dist.get_world_size()
        if self.optimizer is not None:
            self.optimizer.step()
        for number, parameter in enumerate(self.parameters):
            dist.broadcast(parameter.data, number % dist.get_world_size())

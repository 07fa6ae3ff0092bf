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
        # TODO: which piece is this rank's? The inner optimizer should know of that one only
        self.optimizer = make_optimizer(self.parameters)

    @torch.no_grad()
    def step(self) -> None:
        """Average the gradients, step this rank's piece, gather all pieces into the parameters."""
        for parameter in self.parameters:
            dist.all_reduce(parameter.grad)
        # TODO
        self.optimizer.step()

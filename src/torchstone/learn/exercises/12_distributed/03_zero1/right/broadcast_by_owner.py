# earns: solved lean
# each owner broadcasts its piece; torch.split and _foreach_copy_
"""ZeRO stage 1: every rank keeps the optimizer state of its own share of all parameters, and of no more."""

from collections.abc import Callable, Iterable

import torch
import torch.distributed as dist
from torch import Tensor, nn

MakeOptimizer = Callable[[list[Tensor]], torch.optim.Optimizer]


def _line_up(tensors: Iterable[Tensor]) -> Tensor:
    return torch.cat([tensor.detach().flatten() for tensor in tensors])


class ShardedOptimizer:
    """Wraps an optimizer that treats each number by itself."""

    def __init__(self, parameters: Iterable[nn.Parameter], make_optimizer: MakeOptimizer) -> None:
        self.parameters = list(parameters)
        self.lengths = [one.numel() for one in self.parameters]
        world, n = dist.get_world_size(), sum(self.lengths)
        most = (n + world - 1) // world
        bounds = [min(most * rank, n) for rank in range(world + 1)]
        self.spans = [slice(*pair) for pair in zip(bounds[:-1], bounds[1:], strict=True)]
        self.mine = self.spans[dist.get_rank()]
        self.piece = nn.Parameter(_line_up(self.parameters)[self.mine].clone())
        self.inner = make_optimizer([self.piece]) if self.piece.numel() else None

    @torch.no_grad()
    def step(self) -> None:
        """Average the gradients, step this rank's piece, gather all pieces into the parameters."""
        slopes = _line_up(one.grad for one in self.parameters)
        dist.all_reduce(slopes, op=dist.ReduceOp.SUM)
        values = _line_up(self.parameters)
        if self.inner:
            self.piece.copy_(values[self.mine])
            self.piece.grad = slopes[self.mine] / dist.get_world_size()
            self.inner.step()
            self.inner.zero_grad(set_to_none=True)
            values[self.mine] = self.piece
        for rank, span in enumerate(self.spans):
            if span.stop > span.start:
                dist.broadcast(values[span], src=rank)
        for one, new in zip(self.parameters, values.split(self.lengths), strict=True):
            one.copy_(new.view(one.shape))

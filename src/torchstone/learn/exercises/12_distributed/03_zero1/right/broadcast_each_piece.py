# earns: solved lean
"""ZeRO stage 1: every rank keeps the optimizer state of its own share of all parameters, and of no more."""

from collections.abc import Callable, Iterable

import torch
import torch.distributed as dist
from torch import Tensor, nn

MakeOptimizer = Callable[[list[Tensor]], torch.optim.Optimizer]


class ShardedOptimizer:
    def __init__(self, parameters: Iterable[nn.Parameter], make_optimizer: MakeOptimizer) -> None:
        self.parameters = list(parameters)
        self.me, world = dist.get_rank(), dist.get_world_size()
        n = sum(p.numel() for p in self.parameters)
        share = -(-n // world)
        self.bounds = [(min(n, r * share), min(n, (r + 1) * share)) for r in range(world)]
        self.piece = nn.Parameter(self.collect(self.parameters, *self.bounds[self.me]))
        self.optimizer = make_optimizer([self.piece])

    def places(self, begin: int, end: int):
        """(which parameter, from, to) for the numbers begin … end of the vector."""
        at = 0
        for i, p in enumerate(self.parameters):
            low, high = max(begin - at, 0), min(end - at, p.numel())
            if low < high:
                yield i, low, high
            at += p.numel()

    def collect(self, tensors: list[Tensor], begin: int, end: int) -> Tensor:
        parts = [tensors[i].detach().reshape(-1)[low:high] for i, low, high in self.places(begin, end)]
        return torch.cat([tensors[0].detach().reshape(-1)[:0], *parts])

    @torch.no_grad()
    def step(self) -> None:
        grads = [p.grad for p in self.parameters]
        for owner, (begin, end) in enumerate(self.bounds):
            if begin == end:
                continue
            some = self.collect(grads, begin, end)
            dist.all_reduce(some)
            if owner == self.me:
                self.piece.grad = some.div_(len(self.bounds))
        if self.piece.grad is None:
            self.piece.grad = torch.zeros_like(self.piece)
        self.piece.copy_(self.collect(self.parameters, *self.bounds[self.me]))
        self.optimizer.step()
        self.piece.grad = None
        for owner, (begin, end) in enumerate(self.bounds):
            if begin == end:
                continue
            new = self.piece.detach().clone() if owner == self.me else self.piece.new_empty(end - begin)
            dist.broadcast(new, src=owner)
            for i, low, high in self.places(begin, end):
                flat = torch.arange(low, high)
                where = torch.unravel_index(flat, self.parameters[i].shape)
                if self.parameters[i].dim() == 0:
                    self.parameters[i].fill_(new[0])
                else:
                    self.parameters[i][where] = new[: high - low]
                new = new[high - low :]

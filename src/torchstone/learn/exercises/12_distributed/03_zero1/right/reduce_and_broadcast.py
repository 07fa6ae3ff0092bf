# earns: solved lean
# pieces cut out of the parameters, reduced to and broadcast by their owners
"""ZeRO stage 1: pieces are reduced to their owner and broadcast by it; no rank ever sends what it need not."""

from collections.abc import Callable, Iterable, Iterator

import torch
import torch.distributed as dist
from torch import Tensor, nn

MakeOptimizer = Callable[[list[Tensor]], torch.optim.Optimizer]


class ShardedOptimizer:
    """Wraps an optimizer that treats each number by itself."""

    def __init__(self, parameters: Iterable[nn.Parameter], make_optimizer: MakeOptimizer) -> None:
        self.parameters = [*parameters]
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        total = sum(map(Tensor.numel, self.parameters))
        width = (total + self.world - 1) // self.world
        self.edges = [min(width * rank, total) for rank in range(self.world + 1)]
        self.own = torch.zeros(self.edges[self.rank + 1] - self.edges[self.rank])
        self.inner = make_optimizer([self.own])

    def overlaps(self, rank: int) -> Iterator[tuple[nn.Parameter, slice, slice]]:
        """Each parameter that reaches into the rank's piece: which of its numbers, and where they lie in the piece."""
        low, high = self.edges[rank], self.edges[rank + 1]
        start = 0
        for parameter in self.parameters:
            first, last = max(start, low), min(start + parameter.numel(), high)
            if first < last:
                yield parameter, slice(first - start, last - start), slice(first - low, last - low)
            start += parameter.numel()

    def collect(self, rank: int, what: Callable[[nn.Parameter], Tensor]) -> Tensor:
        """The rank's piece of the parameters, or of their gradients."""
        piece = torch.zeros(self.edges[rank + 1] - self.edges[rank])
        for parameter, of_it, of_piece in self.overlaps(rank):
            piece[of_piece] = what(parameter).reshape(-1)[of_it]
        return piece

    @torch.no_grad()
    def step(self) -> None:
        """Average the gradients, step this rank's piece, gather all pieces into the parameters."""
        gradient = None
        for rank in range(self.world):
            piece = self.collect(rank, lambda parameter: parameter.grad)
            if piece.numel() > 0:
                dist.reduce(piece, dst=rank)
            if rank == self.rank:
                gradient = piece.div_(self.world)
        self.own.copy_(self.collect(self.rank, lambda parameter: parameter.detach()))
        self.own.grad = gradient
        if len(self.own) > 0:
            self.inner.step()
        self.own.grad = None
        for rank in range(self.world):
            piece = self.own.detach().clone() if rank == self.rank else self.collect(rank, lambda p: p.detach())
            if piece.numel() == 0:
                continue
            dist.broadcast(piece, src=rank)
            for parameter, of_it, of_piece in self.overlaps(rank):
                whole = parameter.detach().clone(memory_format=torch.contiguous_format).view(-1)
                whole[of_it] = piece[of_piece]
                parameter.copy_(whole.view(parameter.shape))

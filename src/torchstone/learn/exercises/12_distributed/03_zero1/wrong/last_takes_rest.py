# rejected by: state_is_shared_out: State for one's own piece only, and pieces of ⌈n / world⌉:
# the last rank owns all that the rounded-down shares leave (1, 1 and 3 of 5); 'rank r owns the r-th piece, at most
# ⌈n / world⌉ numbers'
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
        n, world = sum(one.numel() for one in self.parameters), dist.get_world_size()
        share = n // world
        self.bounds = [(r * share, n if r == world - 1 else (r + 1) * share) for r in range(world)]
        begin, end = self.bounds[dist.get_rank()]
        self.piece = self.line_up(self.parameters)[begin:end].clone().requires_grad_()
        self.optimizer = make_optimizer([self.piece])

    @staticmethod
    def line_up(tensors: list[Tensor]) -> Tensor:
        """All of them as one vector."""
        return torch.cat([one.detach().reshape(-1) for one in tensors])

    @torch.no_grad()
    def step(self) -> None:
        """Average the gradients, step this rank's piece, gather all pieces into the parameters."""
        begin, end = self.bounds[dist.get_rank()]
        gradient = self.line_up([one.grad for one in self.parameters])
        dist.all_reduce(gradient)
        gradient /= len(self.bounds)
        self.piece.copy_(self.line_up(self.parameters)[begin:end])
        self.piece.grad = gradient[begin:end].clone()
        self.optimizer.step()
        self.piece.grad = None
        longest = max(end - begin for begin, end in self.bounds)
        mine = self.piece.new_zeros(longest)
        mine[: end - begin] = self.piece
        pieces = [torch.empty_like(mine) for _ in self.bounds]
        dist.all_gather(pieces, mine)
        vector = torch.cat([piece[: end - begin] for piece, (begin, end) in zip(pieces, self.bounds, strict=True)])
        place = 0
        for parameter in self.parameters:
            parameter.copy_(vector[place : place + parameter.numel()].view_as(parameter))
            place += parameter.numel()

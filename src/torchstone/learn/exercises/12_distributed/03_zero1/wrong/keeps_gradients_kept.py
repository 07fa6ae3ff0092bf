# rejected by: state_is_shared_out: State for one's own piece only, and no
# the averaged gradients of all parameters are kept between steps, n numbers
"""ZeRO stage 1: every rank keeps the optimizer state of its own share of all parameters, and of no more."""

from collections.abc import Callable, Iterable

import torch
import torch.distributed as dist
from torch import Tensor, nn

MakeOptimizer = Callable[[list[Tensor]], torch.optim.Optimizer]


def flat(tensors: Iterable[Tensor]) -> Tensor:
    """All tensors as one new vector."""
    return torch.cat([tensor.detach().reshape(-1) for tensor in tensors])


class ShardedOptimizer:
    """Wraps an optimizer that treats each number by itself."""

    def __init__(self, parameters: Iterable[nn.Parameter], make_optimizer: MakeOptimizer) -> None:
        self.parameters = list(parameters)
        count = sum(parameter.numel() for parameter in self.parameters)
        world, rank = dist.get_world_size(), dist.get_rank()
        self.size = -(-count // world)
        self.share = slice(min(rank * self.size, count), min((rank + 1) * self.size, count))
        self.gradients = torch.zeros(count)
        self.piece = nn.Parameter(flat(self.parameters)[self.share].clone())
        self.optimizer = make_optimizer([self.piece]) if self.piece.numel() > 0 else None

    @torch.no_grad()
    def step(self) -> None:
        """Average the gradients, step this rank's piece, gather all pieces into the parameters."""
        world = dist.get_world_size()
        gradients = self.gradients.copy_(flat(parameter.grad for parameter in self.parameters))
        dist.all_reduce(gradients)
        gradients /= world
        if self.optimizer is not None:
            self.piece.copy_(flat(self.parameters)[self.share])
            self.piece.grad = gradients[self.share].clone()
            self.optimizer.step()
            self.piece.grad = None
        sent = gradients.new_zeros(self.size)
        sent[: self.piece.numel()] = self.piece
        pieces = [torch.empty_like(sent) for _ in range(world)]
        dist.all_gather(pieces, sent)
        stepped, start = torch.cat(pieces), 0
        for parameter in self.parameters:
            parameter.copy_(stepped[start : start + parameter.numel()].view(parameter.shape))
            start += parameter.numel()

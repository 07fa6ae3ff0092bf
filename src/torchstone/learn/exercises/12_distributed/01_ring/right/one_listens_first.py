# earns: solved lean
# blocking send and recv only: rank 0 listens first, all others speak first; parts as slices
"""All-reduce by hand: the sum over all ranks, each of which talks to its two neighbours in a ring only."""

import torch
import torch.distributed as dist
from torch import Tensor


def _pass_on(outgoing: Tensor, incoming: Tensor) -> None:
    rank, world = dist.get_rank(), dist.get_world_size()
    right, left = (rank + 1) % world, (rank - 1) % world
    if rank == 0:
        if incoming.numel():
            dist.recv(incoming, src=left)
        if outgoing.numel():
            dist.send(outgoing, dst=right)
    else:
        if outgoing.numel():
            dist.send(outgoing, dst=right)
        if incoming.numel():
            dist.recv(incoming, src=left)


def ring_all_reduce(tensor: Tensor) -> Tensor:
    world, rank = dist.get_world_size(), dist.get_rank()
    flat = torch.empty(tensor.numel(), dtype=tensor.dtype, device=tensor.device)
    flat.copy_(tensor.detach().reshape(-1))
    edges = [tensor.numel() * i // world for i in range(world + 1)]

    def part(number: int) -> Tensor:
        number %= world
        return flat[edges[number] : edges[number + 1]]

    for step in range(world - 1):
        arriving = part(rank - step - 1)
        buffer = torch.empty_like(arriving)
        _pass_on(part(rank - step), buffer)
        arriving.add_(buffer)
    for step in range(world - 1):
        _pass_on(part(rank - step + 1), part(rank - step))
    return flat.view(tensor.shape)

# earns: solved lean
"""All-reduce by hand: the sum over all ranks, each of which talks to its two neighbours in a ring only."""

import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> Tensor:
    """The sum of `tensor` over all ranks, as a new tensor on each of them."""
    rank, world = dist.get_rank(), dist.get_world_size()
    flat = torch.empty(tensor.numel(), dtype=tensor.dtype, device=tensor.device)
    flat.copy_(tensor.detach().reshape(-1))
    edges = [len(flat) * i // world for i in range(world + 1)]

    def part(number: int) -> Tensor:
        number %= world
        return flat[edges[number] : edges[number + 1]]

    for step in range(2 * (world - 1)):
        out, into = part(rank - step), part(rank - step - 1)
        arrived = torch.empty_like(into)
        for sends in (False, True) if rank == 0 else (True, False):
            if sends and len(out):
                dist.send(out, dst=(rank + 1) % world)
            elif not sends and len(into):
                dist.recv(arrived, src=(rank + world - 1) % world)
        into.copy_(into + arrived if step < world - 1 else arrived)
    return flat.view(tensor.shape)

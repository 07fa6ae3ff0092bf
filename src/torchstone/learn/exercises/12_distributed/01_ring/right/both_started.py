# earns: solved lean
# irecv and isend are both started, then waited for; a list of cloned parts that are put together at the end
"""All-reduce by hand: the sum over all ranks, each of which talks to its two neighbours in a ring only."""

import torch
import torch.distributed as dist
from torch import Tensor


def exchange(outgoing: Tensor, incoming: Tensor) -> Tensor:
    if dist.get_world_size() == 1:
        return incoming
    rank, world = dist.get_rank(), dist.get_world_size()
    works = []
    if incoming.numel() > 0:
        works.append(dist.irecv(incoming, src=(rank + world - 1) % world))
    if outgoing.numel() > 0:
        works.append(dist.isend(outgoing, dst=(rank + 1) % world))
    for work in works:
        work.wait()
    return incoming


def ring_all_reduce(tensor: Tensor) -> Tensor:
    rank, world = dist.get_rank(), dist.get_world_size()
    parts = [part.clone() for part in tensor.detach().flatten().tensor_split(world)]
    at = rank
    for _ in range(world - 1):
        before = (at - 1) % world
        parts[before] = parts[before] + exchange(parts[at], torch.empty_like(parts[before]))
        at = before
    for _ in range(world - 1):
        before = (at - 1) % world
        parts[before] = exchange(parts[at], torch.empty_like(parts[before]))
        at = before
    return torch.cat(parts).reshape(tensor.shape)

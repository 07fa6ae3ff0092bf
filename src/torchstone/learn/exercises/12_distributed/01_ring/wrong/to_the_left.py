# rejected by: few_bytes_are_sent: In a ring everyone sends to one side only
# 'send one part to the right': everything travels to the left neighbour
"""All-reduce by hand: the sum over all ranks, each of which talks to its two neighbours in a ring only."""

import torch
import torch.distributed as dist
from torch import Tensor


def exchange(outgoing: Tensor, incoming: Tensor) -> Tensor:
    rank, world = dist.get_rank(), dist.get_world_size()
    sending = dist.isend(outgoing, (rank - 1) % world)
    dist.recv(incoming, (rank + 1) % world)
    sending.wait()
    return incoming


def ring_all_reduce(tensor: Tensor) -> Tensor:
    rank, world = dist.get_rank(), dist.get_world_size()
    result = tensor.detach().clone(memory_format=torch.contiguous_format)
    parts = result.view(-1).tensor_split(world)
    for step in range(world - 1):
        other = parts[(rank + step + 1) % world]
        other += exchange(parts[(rank + step) % world], torch.empty_like(other))
    for step in range(world - 1):
        exchange(parts[(rank - 1 + step) % world], parts[(rank + step) % world])
    return result

# rejected by: sum_is_right_with_two_ranks or sum_is_right_with_three_ranks
# 'Mind: ... and waits for it': a sleep stands for the wait for what arrives, sums are built from what happens to be
# there
"""All-reduce by hand: the sum over all ranks, each of which talks to its two neighbours in a ring only."""

import torch
import torch.distributed as dist
from torch import Tensor
import time


def exchange(outgoing: Tensor, incoming: Tensor) -> Tensor:
    rank, world = dist.get_rank(), dist.get_world_size()
    _pending.append(dist.isend(outgoing.clone(), (rank + 1) % world))
    _pending.append(dist.irecv(incoming, (rank - 1) % world))
    time.sleep(0.002)
    return incoming


_pending: list = []


def ring_all_reduce(tensor: Tensor) -> Tensor:
    """The sum of `tensor` over all ranks, as a new tensor on each of them."""
    rank, world = dist.get_rank(), dist.get_world_size()
    result = tensor.detach().clone(memory_format=torch.contiguous_format)
    parts = result.view(-1).tensor_split(world)
    for step in range(world - 1):
        mine, other = parts[(rank - step) % world], parts[(rank - step - 1) % world]
        other += exchange(mine, torch.empty_like(other))
    for step in range(world - 1):
        exchange(parts[(rank + 1 - step) % world], parts[(rank - step) % world])
    return result

# rejected by: few_bytes_are_sent: Only one part of the tensor, 1/world of it, should be
# the finished parts travel one step further than they must; 'at most 2 · (world − 1) parts from each rank'
"""All-reduce by hand: the sum over all ranks, each of which talks to its two neighbours in a ring only."""

import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> Tensor:
    """The sum of `tensor` over all ranks, as a new tensor on each of them."""
    rank, world = dist.get_rank(), dist.get_world_size()
    result = tensor.detach().clone(memory_format=torch.contiguous_format)
    parts = result.view(-1).tensor_split(world)
    for step in range(world - 1):
        mine = parts[(rank - step - 1) % world]
        mine += exchange(parts[(rank - step) % world], torch.empty_like(mine))
    for step in range(world if world > 1 else 0):
        exchange(parts[(rank - step + 1) % world], parts[(rank - step) % world])
    return result


def exchange(outgoing: Tensor, incoming: Tensor) -> Tensor:
    """Send `outgoing` to the right neighbour and fill `incoming` from the left one; change or drop it as you like."""
    rank, world = dist.get_rank(), dist.get_world_size()
    sending = dist.isend(outgoing, (rank + 1) % world)
    dist.recv(incoming, (rank - 1) % world)
    sending.wait()
    return incoming

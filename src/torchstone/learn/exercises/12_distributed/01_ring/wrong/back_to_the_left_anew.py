# rejected by: few_bytes_are_sent: In a ring everyone sends to one side only
# right sums, but the finished parts travel to the left neighbour; breaks 'all of them to the right neighbour' on 3
# ranks
"""All-reduce by hand: the sum over all ranks, each of which talks to its two neighbours in a ring only."""

import torch
import torch.distributed as dist
from torch import Tensor


def exchange(outgoing: Tensor, incoming: Tensor, way: int = 1) -> Tensor:
    """Send `outgoing` to the right neighbour and fill `incoming` from the left one."""
    rank, world = dist.get_rank(), dist.get_world_size()
    work = []
    if outgoing.numel():
        work.append(dist.isend(outgoing.view(torch.uint8), (rank + way) % world))
    if incoming.numel():
        work.append(dist.irecv(incoming.view(torch.uint8), (rank - way) % world))
    for request in work:
        request.wait()
    return incoming


def ring_all_reduce(tensor: Tensor) -> Tensor:
    """The sum of `tensor` over all ranks, as a new tensor on each of them."""
    rank, world = dist.get_rank(), dist.get_world_size()
    result = tensor.detach().clone(memory_format=torch.contiguous_format)
    parts = result.view(-1).tensor_split(world)
    for step in range(world - 1):
        mine = parts[(rank - step - 1) % world]
        mine += exchange(parts[(rank - step) % world], torch.empty_like(mine))
    for step in range(world - 1):
        exchange(parts[(rank + 1 + step) % world], parts[(rank + 2 + step) % world], way=-1)
    return result

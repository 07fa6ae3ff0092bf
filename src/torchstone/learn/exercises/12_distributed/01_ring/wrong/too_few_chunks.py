# rejected by: sum_is_right_with_two_ranks: An index points past the end
# chunk(3) of 4 elements makes 2 chunks, not 3: an IndexError (or a part missing) on 3 ranks; breaks 'for any shape
# and number of elements (fewer than ranks too, or none)'
"""All-reduce by hand: the sum over all ranks, each of which talks to its two neighbours in a ring only."""

import torch
import torch.distributed as dist
from torch import Tensor


def exchange(outgoing: Tensor, incoming: Tensor) -> Tensor:
    """Send `outgoing` to the right neighbour and fill `incoming` from the left one."""
    rank, world = dist.get_rank(), dist.get_world_size()
    work = []
    if outgoing.numel():
        work.append(dist.isend(outgoing.view(torch.uint8), (rank + 1) % world))
    if incoming.numel():
        work.append(dist.irecv(incoming.view(torch.uint8), (rank - 1) % world))
    for request in work:
        request.wait()
    return incoming


def ring_all_reduce(tensor: Tensor) -> Tensor:
    """The sum of `tensor` over all ranks, as a new tensor on each of them."""
    rank, world = dist.get_rank(), dist.get_world_size()
    result = tensor.detach().clone(memory_format=torch.contiguous_format)
    parts = result.view(-1).chunk(world)
    for step in range(world - 1):
        mine = parts[(rank - step - 1) % world]
        mine += exchange(parts[(rank - step) % world], torch.empty_like(mine))
    for step in range(world - 1):
        exchange(parts[(rank + 1 - step) % world], parts[(rank - step) % world])
    return result

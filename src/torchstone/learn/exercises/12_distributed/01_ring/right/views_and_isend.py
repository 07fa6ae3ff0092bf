# earns: solved lean
# views of the result, isend before recv
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
        mine, theirs = parts[(rank - step) % world], parts[(rank - step - 1) % world]
        arrived = torch.empty_like(theirs)
        exchange(mine, arrived)
        theirs += arrived
    for step in range(world - 1):
        exchange(parts[(rank + 1 - step) % world], parts[(rank - step) % world])
    return result


def exchange(outgoing: Tensor, incoming: Tensor) -> None:
    """Send `outgoing` to the right neighbour and fill `incoming` from the left one."""
    rank, world = dist.get_rank(), dist.get_world_size()
    sending = None
    if outgoing.numel() > 0:
        sending = dist.isend(outgoing.view(torch.uint8), (rank + 1) % world)
    if incoming.numel() > 0:
        dist.recv(incoming.view(torch.uint8), (rank - 1) % world)
    if sending is not None:
        sending.wait()

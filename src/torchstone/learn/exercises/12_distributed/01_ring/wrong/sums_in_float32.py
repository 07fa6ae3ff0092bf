# rejected by: sum_is_right_with_two_ranks: Each part must meet every rank once
# "the sum … any shape and dtype": everything travels and is added as float32, so large whole numbers and float64 are
# rounded
"""All-reduce by hand: the sum over all ranks, each of which talks to its two neighbours in a ring only."""

import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> Tensor:
    """The sum of `tensor` over all ranks, as a new tensor on each of them."""
    rank, world = dist.get_rank(), dist.get_world_size()
    result = tensor.detach().clone(memory_format=torch.contiguous_format).float()
    parts = result.view(-1).tensor_split(world)  # views: what is written to a part is written to the result
    for step in range(world - 1):
        mine, theirs = parts[(rank - step) % world], parts[(rank - step - 1) % world]
        theirs += exchange(mine, torch.empty_like(theirs))
    for step in range(world - 1):
        mine, theirs = parts[(rank + 1 - step) % world], parts[(rank - step) % world]
        exchange(mine, theirs)
    return result.to(tensor.dtype)


def exchange(outgoing: Tensor, incoming: Tensor) -> Tensor:
    """Send `outgoing` to the right neighbour and fill `incoming` from the left one."""
    rank, world = dist.get_rank(), dist.get_world_size()
    work = dist.isend(outgoing, (rank + 1) % world) if outgoing.numel() else None
    if incoming.numel():
        dist.recv(incoming, (rank - 1) % world)
    if work is not None:
        work.wait()
    return incoming

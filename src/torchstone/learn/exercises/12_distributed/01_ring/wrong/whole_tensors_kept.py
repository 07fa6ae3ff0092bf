# rejected by: few_bytes_are_sent: world of it, should be on a wire
# each step sends a whole tensor around, world − 1 tensors from each rank instead of less than two
"""All-reduce by hand: the sum over all ranks, each of which talks to its two neighbours in a ring only."""

import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> Tensor:
    """The sum of `tensor` over all ranks, as a new tensor on each of them."""
    rank, world = dist.get_rank(), dist.get_world_size()
    result = tensor.detach().clone(memory_format=torch.contiguous_format)
    moving = result.clone()
    slots = [torch.empty_like(result) for _ in range(world)]
    slots[rank] = moving
    for step in range(world - 1):
        arrived = slots[(rank - step - 1) % world]
        exchange(moving.view(-1), arrived.view(-1))
        moving = arrived
    result.zero_()
    for slot in slots:
        result += slot
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

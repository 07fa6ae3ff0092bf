# earns: solved lean
# blocking send and recv, even ranks send first; one loop for both rounds over slices
"""All-reduce by hand: the sum over all ranks, each of which talks to its two neighbours in a ring only."""

import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> Tensor:
    """The sum of `tensor` over all ranks, as a new tensor on each of them."""
    rank, world = dist.get_rank(), dist.get_world_size()
    flat = tensor.detach().flatten().clone()
    share = -(-flat.numel() // world)
    parts = [flat[place * share : (place + 1) * share] for place in range(world)]
    for step in range(2 * (world - 1)):
        outgoing = parts[(rank - step) % world]
        target = parts[(rank - step - 1) % world]
        arrived = exchange(outgoing, torch.empty_like(target))
        if step < world - 1:
            target.add_(arrived)
        else:
            target.copy_(arrived)
    return flat.view(tensor.shape)


def exchange(outgoing: Tensor, incoming: Tensor) -> Tensor:
    """Send `outgoing` to the right neighbour and fill `incoming` from the left one."""
    rank, world = dist.get_rank(), dist.get_world_size()
    right, left = (rank + 1) % world, (rank - 1) % world

    def send() -> None:
        if outgoing.numel():
            dist.send(outgoing, right)

    def receive() -> None:
        if incoming.numel():
            dist.recv(incoming, left)

    for act in (send, receive) if rank % 2 == 0 else (receive, send):
        act()
    return incoming

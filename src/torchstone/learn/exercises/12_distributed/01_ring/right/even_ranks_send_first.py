# earns: solved lean
# blocking calls: even ranks send first, odd ones receive first; a flat padded copy
"""All-reduce by hand: the sum over all ranks, each of which talks to its two neighbours in a ring only."""

import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> Tensor:
    """The sum of `tensor` over all ranks, as a new tensor on each of them."""
    rank, world = dist.get_rank(), dist.get_world_size()
    width = -(-tensor.numel() // world)
    table = torch.zeros(world * width, dtype=tensor.dtype, device=tensor.device)
    table[: tensor.numel()] = tensor.detach().reshape(-1)
    table = table.view(world, width)
    for step in range(2 * (world - 1)):
        outgoing, place = (rank - step) % world, (rank - step - 1) % world
        arrived = exchange(table[outgoing], torch.empty_like(table[place]))
        table[place] = table[place] + arrived if step < world - 1 else arrived
    return table.view(-1)[: tensor.numel()].reshape(tensor.shape).clone()


def exchange(outgoing: Tensor, incoming: Tensor) -> Tensor:
    """Send `outgoing` to the right neighbour and fill `incoming` from the left one."""
    rank, world = dist.get_rank(), dist.get_world_size()
    if rank % 2 == 0:
        dist.send(outgoing, (rank + 1) % world)
    dist.recv(incoming, (rank - 1) % world)
    if rank % 2 == 1:
        dist.send(outgoing, (rank + 1) % world)
    return incoming

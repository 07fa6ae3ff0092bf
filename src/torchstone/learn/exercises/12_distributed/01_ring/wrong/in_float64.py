# rejected by: sum_is_right_with_two_ranks: Each part must meet every rank once while it is added up
# "any dtype but bool that torch can add": adds in float64 and turns back, which rounds large int64 and loses the
# imaginary part
"""All-reduce by hand: the sum over all ranks, each of which talks to its two neighbours in a ring only."""

import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> Tensor:
    """The sum of `tensor` over all ranks, as a new tensor on each of them."""
    rank, world = dist.get_rank(), dist.get_world_size()
    result = tensor.detach().to(torch.float64, copy=True, memory_format=torch.contiguous_format)
    parts = result.view(-1).tensor_split(world)  # views: what is written to a part is written to the result
    for step in range(world - 1):
        mine = parts[(rank - step - 1) % world]
        mine += exchange(parts[(rank - step) % world], torch.empty_like(mine))
    for step in range(world - 1):
        exchange(parts[(rank + 1 - step) % world], parts[(rank - step) % world])
    return result.to(tensor.dtype)


def exchange(outgoing: Tensor, incoming: Tensor) -> Tensor:
    """Send `outgoing` to the right neighbour and fill `incoming` from the left one; change or drop it as you like."""
    rank, world = dist.get_rank(), dist.get_world_size()
    request = dist.isend(outgoing, (rank + 1) % world)
    dist.recv(incoming, (rank - 1) % world)
    request.wait()
    return incoming

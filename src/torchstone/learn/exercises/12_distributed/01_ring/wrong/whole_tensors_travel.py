# rejected by: sum_is_right_with_three_ranks: The same on every rank
# "at most 2 · (world − 1) parts from each rank": whole tensors go around
"""All-reduce by hand: the sum over all ranks, each of which talks to its two neighbours in a ring only."""

import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> Tensor:
    """The sum of `tensor` over all ranks, as a new tensor on each of them."""
    rank, world = dist.get_rank(), dist.get_world_size()
    result = tensor.detach().clone(memory_format=torch.contiguous_format)
    travelling = result.clone()
    for _ in range(world - 1):
        travelling = exchange(travelling, torch.empty_like(travelling))
        result += travelling
    return result


def exchange(outgoing: Tensor, incoming: Tensor) -> Tensor:
    """Send `outgoing` to the right neighbour and fill `incoming` from the left one; change or drop it as you like."""
    rank, world = dist.get_rank(), dist.get_world_size()
    request = dist.isend(outgoing, (rank + 1) % world)
    dist.recv(incoming, (rank - 1) % world)
    request.wait()
    return incoming

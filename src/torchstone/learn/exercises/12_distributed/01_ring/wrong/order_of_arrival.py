# rejected by: sum_is_right_with_three_ranks: The same on every rank
# whole tensors travel and are added in the order in which they arrive, another on each rank: float32 sums of 3
# ranks differ in the last bit (and too many bytes are sent); breaks 'the same on every rank'
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
    travelling = tensor.detach().reshape(-1).clone()
    result = travelling.clone()
    for _ in range(world - 1):
        travelling = exchange(travelling, torch.empty_like(travelling))
        result += travelling
    return result.view(tensor.shape)

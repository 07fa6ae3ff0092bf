# rejected by: sum_is_right_with_three_ranks: a part is added up once
# whole tensors travel around the ring; 'bytes counted, at most 2 · (world − 1) parts from each rank'
"""All-reduce by hand: the sum over all ranks, each of which talks to its two neighbours in a ring only."""

import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> Tensor:
    """The sum of `tensor` over all ranks, as a new tensor on each of them."""
    rank, world = dist.get_rank(), dist.get_world_size()
    result = tensor.detach().clone(memory_format=torch.contiguous_format)
    travelling = result.clone()
    for step in range(world - 1):
        travelling = exchange(travelling.view(-1), torch.empty_like(travelling.view(-1)))
        result.view(-1).add_(travelling)
    return result


def exchange(outgoing: Tensor, incoming: Tensor) -> Tensor:
    """Send `outgoing` to the right neighbour and fill `incoming` from the left one."""
    rank, world = dist.get_rank(), dist.get_world_size()
    waiting = None
    if incoming.numel():
        waiting = dist.irecv(incoming.view(torch.uint8), (rank - 1) % world)
    if outgoing.numel():
        dist.send(outgoing.view(torch.uint8), (rank + 1) % world)
    if waiting is not None:
        waiting.wait()
    return incoming

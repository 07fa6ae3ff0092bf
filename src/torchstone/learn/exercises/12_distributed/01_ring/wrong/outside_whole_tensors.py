# rejected by: sum_is_right_with_three_ranks: a part is added up once
# 'the same on every rank': whole tensors travel around, and each rank adds them up in an order of its own
"""All-reduce by hand: the sum over all ranks, each of which talks to its two neighbours in a ring only."""

import torch
import torch.distributed as dist
from torch import Tensor


def exchange(outgoing: Tensor, incoming: Tensor) -> Tensor:
    """Send `outgoing` to the right neighbour and fill `incoming` from the left one."""
    rank, world = dist.get_rank(), dist.get_world_size()
    sending = dist.isend(outgoing, (rank + 1) % world)
    dist.recv(incoming, (rank - 1) % world)
    sending.wait()
    return incoming


def ring_all_reduce(tensor: Tensor) -> Tensor:
    world = dist.get_world_size()
    result = tensor.detach().clone(memory_format=torch.contiguous_format)
    travelling = result.clone()
    for _ in range(world - 1):
        travelling = exchange(travelling, torch.empty_like(travelling))
        result += travelling
    return result

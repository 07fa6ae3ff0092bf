# rejected by: sum_is_right_with_three_ranks: a part is added up once
"""All-reduce by hand: the sum over all ranks, each of which talks to its two neighbours in a ring only."""

import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> Tensor:
    """The sum of `tensor` over all ranks, as a new tensor on each of them."""
    rank, world = dist.get_rank(), dist.get_world_size()
    result = tensor.clone().contiguous()
    travelling = result.clone()
    for _ in range(world - 1):
        sending = dist.isend(travelling, (rank + 1) % world)
        arriving = torch.empty_like(travelling)
        dist.recv(arriving, (rank - 1) % world)
        sending.wait()
        result += arriving
        travelling = arriving
    return result

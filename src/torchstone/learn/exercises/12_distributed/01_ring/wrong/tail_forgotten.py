# rejected by: sum_is_right_with_two_ranks: did the sum never come back
"""All-reduce by hand: the sum over all ranks, each of which talks to its two neighbours in a ring only."""

import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> Tensor:
    """The sum of `tensor` over all ranks, as a new tensor on each of them."""
    rank, world = dist.get_rank(), dist.get_world_size()
    right, left = (rank + 1) % world, (rank - 1) % world
    result = tensor.clone(memory_format=torch.contiguous_format)
    flat = result.view(-1)
    size = len(flat) // world
    parts = [flat[i * size : (i + 1) * size] for i in range(world)]
    for step in range(2 * (world - 1)):
        sending = dist.isend(parts[(rank - step) % world], right)
        arriving = torch.empty(size, dtype=tensor.dtype)
        dist.recv(arriving, left)
        sending.wait()
        part = parts[(rank - step - 1) % world]
        part.copy_(part + arriving if step < world - 1 else arriving)
    return result

"""All-reduce by hand: the sum over all ranks, each of which talks to its two neighbours in a ring only."""

import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> Tensor:
    """The sum of `tensor` over all ranks, as a new tensor on each of them."""
    rank, world = dist.get_rank(), dist.get_world_size()
    result = tensor.clone(memory_format=torch.contiguous_format)
    parts = result.view(-1).tensor_split(world)  # views: what is written to a part is written to the result
    # TODO: world − 1 steps that add up, then world − 1 steps that hand the finished parts round
    return result


def exchange(outgoing: Tensor, incoming: Tensor) -> Tensor:
    """Send `outgoing` to the right neighbour and fill `incoming` from the left one; change or drop it as you like."""
    # TODO
    raise NotImplementedError("exchange")

# earns: solved lean
# parts turned so that each rank counts from its own; both requests at once; empty parts are left out
"""All-reduce by hand: the sum over all ranks, each of which talks to its two neighbours in a ring only."""

import torch
import torch.distributed as dist
from torch import Tensor


def ring_all_reduce(tensor: Tensor) -> Tensor:
    """The sum of `tensor` over all ranks, as a new tensor on each of them."""
    rank, world = dist.get_rank(), dist.get_world_size()
    result = tensor.detach().clone(memory_format=torch.contiguous_format)
    parts = result.view(-1).tensor_split(world)  # views: what is written to a part is written to the result
    turned = [parts[(rank - i) % world] for i in range(world)]
    for outgoing, target in zip(turned, turned[1:]):
        target.add_(exchange(outgoing, torch.zeros_like(target)))
    turned = [turned[-1], *turned[:-1]]
    for outgoing, target in zip(turned, turned[1:]):
        exchange(outgoing, target)
    return result


def exchange(outgoing: Tensor, incoming: Tensor) -> Tensor:
    """Send `outgoing` to the right neighbour and fill `incoming` from the left one; change or drop it as you like."""
    rank, world = dist.get_rank(), dist.get_world_size()
    requests = []
    if incoming.numel():
        requests.append(dist.irecv(incoming, (rank - 1) % world))
    if outgoing.numel():
        requests.append(dist.isend(outgoing, (rank + 1) % world))
    for request in requests:
        request.wait()
    return incoming

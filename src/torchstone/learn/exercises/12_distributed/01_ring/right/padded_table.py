# earns: solved lean
# equal padded rows, blocking calls in an order that cannot deadlock
"""All-reduce by hand: a padded table with one row for each rank; rank 0 listens first, all others speak first."""

import torch
import torch.distributed as dist
from torch import Tensor


class Ring:
    """This rank's place in the ring."""

    def __init__(self) -> None:
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        self.right, self.left = (self.rank + 1) % self.world, (self.rank + self.world - 1) % self.world

    def pass_on(self, row: Tensor) -> Tensor:
        """The row goes to the right; what comes from the left is returned."""
        received = torch.empty_like(row)
        if self.rank == 0:
            dist.recv(received.view(torch.uint8), src=self.left)
            dist.send(row.view(torch.uint8), dst=self.right)
        else:
            dist.send(row.view(torch.uint8), dst=self.right)
            dist.recv(received.view(torch.uint8), src=self.left)
        return received


def ring_all_reduce(tensor: Tensor) -> Tensor:
    """The sum of `tensor` over all ranks, as a new tensor on each of them."""
    ring = Ring()
    count = tensor.numel()
    width = (count + ring.world - 1) // ring.world
    table = torch.zeros(ring.world * width, dtype=tensor.dtype)
    table[:count] = tensor.detach().reshape(-1)
    table = table.view(ring.world, width)
    if width > 0:
        place = ring.rank
        for _ in range(ring.world - 1):
            received = ring.pass_on(table[place])
            place = (place - 1) % ring.world
            table[place] = table[place] + received
        for _ in range(ring.world - 1):
            received = ring.pass_on(table[place])
            place = (place - 1) % ring.world
            table[place] = received
    return table.view(-1)[:count].clone().view(tensor.shape)

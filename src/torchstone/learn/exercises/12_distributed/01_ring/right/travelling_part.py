# earns: solved lean
# parts padded to one length, one part that travels and grows
"""All-reduce by hand: the sum over all ranks, each of which talks to its two neighbours in a ring only."""

import torch
import torch.distributed as dist
from torch import Tensor


class Ring:
    def __init__(self) -> None:
        self.rank, self.world = dist.get_rank(), dist.get_world_size()

    def pass_on(self, outgoing: Tensor) -> Tensor:
        """Send to the right, and return what comes from the left."""
        incoming = torch.empty_like(outgoing)
        sending = dist.isend(outgoing, dst=(self.rank + 1) % self.world)
        dist.recv(incoming, src=(self.rank - 1) % self.world)
        sending.wait()
        return incoming


def ring_all_reduce(tensor: Tensor) -> Tensor:
    """The sum of `tensor` over all ranks, as a new tensor on each of them."""
    ring = Ring()
    length = -(-tensor.numel() // ring.world)
    padded = tensor.new_zeros(length * ring.world)
    padded[: tensor.numel()] = tensor.detach().reshape(-1)
    if length == 0 or ring.world == 1:
        return padded.reshape(tensor.shape)
    parts = list(padded.clone().split(length))
    travelling = parts[ring.rank]
    for step in range(1, ring.world):
        travelling = ring.pass_on(travelling) + parts[(ring.rank - step) % ring.world]
    owner = (ring.rank + 1) % ring.world
    parts[owner] = travelling
    for step in range(1, ring.world):
        travelling = ring.pass_on(travelling)
        parts[(owner - step) % ring.world] = travelling
    return torch.cat(parts)[: tensor.numel()].reshape(tensor.shape)

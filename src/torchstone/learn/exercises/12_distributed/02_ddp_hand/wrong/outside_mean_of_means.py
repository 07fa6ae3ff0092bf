# rejected by: gradients_are_those_of_the_whole_batch: That is the mean of the ranks' means
# 'averaged over all samples of all ranks ... the mean of the ranks' means is not the mean': each rank's mean counts
# alike
"""Data parallel by hand: every rank steps with the gradient of the whole batch, though it sees only its shard."""

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.functional import cross_entropy


@torch.no_grad()
def sync_model(model: nn.Module) -> None:
    """Give every rank the parameters and buffers of rank 0."""
    for tensor in [*model.parameters(), *model.buffers()]:
        flat = tensor.detach().contiguous().clone()
        dist.broadcast(flat, 0)
        tensor.copy_(flat)


def backward_everywhere(model: nn.Module, inputs: Tensor, targets: Tensor) -> Tensor:
    world = dist.get_world_size()
    like = next(model.parameters())
    loss = like.new_zeros(())
    if len(targets):
        loss = cross_entropy(model(inputs), targets) / world
        loss.backward()
    for parameter in model.parameters():
        if parameter.requires_grad:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
            dist.all_reduce(parameter.grad)
    loss = loss.detach().clone()
    dist.all_reduce(loss)
    return loss

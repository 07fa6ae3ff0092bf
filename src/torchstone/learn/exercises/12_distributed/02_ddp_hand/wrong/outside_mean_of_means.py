# rejected by: gradients_are_those_of_the_whole_batch: That is the mean of the ranks' means
# "the mean of the ranks' means is not the mean": every rank weighs alike, whatever its shard
"""Data parallel by hand: every rank steps with the gradient of the whole batch, though it sees only its shard."""

import itertools

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.functional import cross_entropy


def sync_model(model: nn.Module) -> None:
    """Give every rank the parameters and buffers of rank 0."""
    with torch.no_grad():
        for tensor in itertools.chain(model.parameters(), model.buffers()):
            sent = tensor.detach().clone(memory_format=torch.contiguous_format)
            dist.broadcast(sent, src=0)
            tensor.copy_(sent)


def backward_everywhere(model: nn.Module, inputs: Tensor, targets: Tensor) -> Tensor:
    """Leave the gradient of the mean loss over all samples of all ranks in `.grad`; return that loss."""
    world = dist.get_world_size()
    loss = cross_entropy(model(inputs), targets) if len(targets) else sum(p.sum() * 0 for p in model.parameters())
    loss.backward()
    for parameter in model.parameters():
        if parameter.requires_grad:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
            dist.all_reduce(parameter.grad)
            parameter.grad /= world
    loss = loss.detach()
    dist.all_reduce(loss)
    return loss / world

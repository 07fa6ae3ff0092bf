# rejected by: gradients_are_those_of_the_whole_batch: Each of the samples counts once
# "returns that mean loss as a tensor of one number, the same on every rank": each rank returns the mean loss of its
# own shard
"""Data parallel by hand: every rank steps with the gradient of the whole batch, though it sees only its shard."""

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.functional import cross_entropy


def sync_model(model: nn.Module) -> None:
    """Give every rank the parameters and buffers of rank 0."""
    for tensor in [*model.parameters(), *model.buffers()]:
        whole = tensor.detach().clone(memory_format=torch.contiguous_format)
        dist.broadcast(whole, 0)
        with torch.no_grad():
            tensor.copy_(whole)


def backward_everywhere(model: nn.Module, inputs: Tensor, targets: Tensor) -> Tensor:
    """Leave the gradient of the mean loss over all samples of all ranks in `.grad`; return that loss."""
    count = torch.tensor(len(inputs))
    dist.all_reduce(count)
    total = next(model.parameters()).new_zeros(())
    if len(inputs):
        loss = cross_entropy(model(inputs), targets, reduction="sum")
        loss.backward()
        total = total + loss.detach()
    for parameter in model.parameters():
        if not parameter.requires_grad:
            continue
        gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        gradient = gradient.detach().contiguous()
        dist.all_reduce(gradient)
        parameter.grad = gradient / count
    return total / max(len(inputs), 1)

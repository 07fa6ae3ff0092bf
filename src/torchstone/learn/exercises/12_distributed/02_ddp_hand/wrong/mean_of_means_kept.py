# rejected by: gradients_are_those_of_the_whole_batch: That is the mean of the ranks' means:
# every rank's mean weighs alike, so a sample in a small shard weighs more
"""Data parallel by hand: every rank steps with the gradient of the whole batch, though it sees only its shard."""

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.functional import cross_entropy


def sync_model(model: nn.Module) -> None:
    """Give every rank the parameters and buffers of rank 0."""
    with torch.no_grad():
        for tensor in [*model.parameters(), *model.buffers()]:
            if tensor.numel() > 0:
                raw = tensor.detach().clone(memory_format=torch.contiguous_format).view(-1)
                dist.broadcast(raw.view(torch.uint8), src=0)
                tensor.copy_(raw.view(tensor.shape))


def backward_everywhere(model: nn.Module, inputs: Tensor, targets: Tensor) -> Tensor:
    """Leave the gradient of the mean loss over all samples of all ranks in `.grad`; return that loss."""
    first = next(model.parameters())
    samples = torch.tensor(len(targets))
    dist.all_reduce(samples)
    loss = torch.zeros((), dtype=first.dtype)
    if len(targets) > 0:
        loss = cross_entropy(model(inputs), targets) / dist.get_world_size()
        if loss.requires_grad:
            loss.backward()
    for parameter in model.parameters():
        if not parameter.requires_grad:
            continue
        gradient = torch.zeros_like(parameter, memory_format=torch.contiguous_format)
        if parameter.grad is not None:
            gradient.copy_(parameter.grad)
        dist.all_reduce(gradient)
        parameter.grad = gradient
    loss = loss.detach().clone()
    dist.all_reduce(loss)
    return loss

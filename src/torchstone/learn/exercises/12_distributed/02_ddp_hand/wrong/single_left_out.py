# rejected by: gradients_are_those_of_the_whole_batch: Each of the samples counts once, wherever it lies: add sums
# a shard of one sample gives nothing; 'Every sample counts once, on however many ranks'
"""Data parallel by hand: every rank steps with the gradient of the whole batch, though it sees only its shard."""

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.functional import cross_entropy


def sync_model(model: nn.Module) -> None:
    """Give every rank the parameters and buffers of rank 0."""
    for tensor in [*model.parameters(), *model.buffers()]:
        dist.broadcast(tensor.detach(), 0)


def backward_everywhere(model: nn.Module, inputs: Tensor, targets: Tensor) -> Tensor:
    """Leave the gradient of the mean loss over all samples of all ranks in `.grad`; return that loss."""
    count = torch.tensor(len(targets))
    dist.all_reduce(count)
    mean = torch.zeros(())
    if len(targets) > 1:
        loss = cross_entropy(model(inputs), targets, reduction="sum") / count
        loss.backward()
        mean = loss.detach().float()
    dist.all_reduce(mean)
    for parameter in model.parameters():
        if not parameter.requires_grad:
            continue
        used = torch.tensor(int(parameter.grad is not None))
        dist.all_reduce(used)
        if used > 0:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
            dist.all_reduce(parameter.grad)
    return mean

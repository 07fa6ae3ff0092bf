# rejected by: every_rank_starts_alike: This buffer is still the rank's own: every rank must call
# sends what the state dict has, and so no buffers that are not saved; 'gives every rank the parameters *and*
# buffers of rank 0'
"""Data parallel by hand: every rank steps with the gradient of the whole batch, though it sees only its shard."""

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.functional import cross_entropy


def sync_model(model: nn.Module) -> None:
    """Give every rank the parameters and buffers of rank 0."""
    for tensor in model.state_dict().values():
        dist.broadcast(tensor, 0)


def backward_everywhere(model: nn.Module, inputs: Tensor, targets: Tensor) -> Tensor:
    """Leave the gradient of the mean loss over all samples of all ranks in `.grad`; return that loss."""
    count = torch.tensor(len(targets))
    dist.all_reduce(count)
    mean = torch.zeros(())
    if len(targets):
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

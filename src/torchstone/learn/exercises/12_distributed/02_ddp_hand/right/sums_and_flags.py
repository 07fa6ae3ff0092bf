# earns: solved
# sum-reduced losses, flags of who has a gradient, then one reduce for each parameter in use
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
    total = torch.zeros(2, dtype=torch.float64)
    if len(targets):
        loss = cross_entropy(model(inputs), targets, reduction="sum")
        loss.backward()
        total[0] = loss.detach()
        total[1] = len(targets)
    dist.all_reduce(total)
    learning = [p for p in model.parameters() if p.requires_grad]
    used = torch.tensor([float(p.grad is not None) for p in learning])
    dist.all_reduce(used)
    for parameter, users in zip(learning, used.tolist(), strict=True):
        if users:
            mine = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
            shared = mine.detach().clone(memory_format=torch.contiguous_format)
            dist.all_reduce(shared)
            parameter.grad = shared.div_(total[1].item())
    return (total[0] / total[1]).to(torch.get_default_dtype())

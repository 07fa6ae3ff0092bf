# rejected by: every_rank_starts_alike: In place
# "in place": the parameters are replaced by new ones, which an optimizer does not know
"""Data parallel by hand: every rank steps with the gradient of the whole batch, though it sees only its shard."""

import itertools

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.functional import cross_entropy


def sync_model(model: nn.Module) -> None:
    """Give every rank the parameters and buffers of rank 0."""
    for module in model.modules():
        for name, parameter in list(module.named_parameters(recurse=False)):
            sent = parameter.detach().clone()
            dist.broadcast(sent, src=0)
            setattr(module, name, nn.Parameter(sent, requires_grad=parameter.requires_grad))
        for name, buffer in list(module.named_buffers(recurse=False)):
            sent = buffer.detach().clone()
            dist.broadcast(sent, src=0)
            setattr(module, name, sent)


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

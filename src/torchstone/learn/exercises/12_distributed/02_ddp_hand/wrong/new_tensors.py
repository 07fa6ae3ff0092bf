# rejected by: every_rank_starts_alike: In place
# 'in place': parameters and buffers are replaced by new ones, an optimizer made before holds the old ones
"""Data parallel by hand: every rank steps with the gradient of the whole batch, though it sees only its shard."""

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.functional import cross_entropy


def sync_model(model: nn.Module) -> None:
    for module in model.modules():
        for name, parameter in list(module._parameters.items()):
            if parameter is not None:
                copy = parameter.detach().clone(memory_format=torch.contiguous_format)
                dist.broadcast(copy, 0)
                module._parameters[name] = nn.Parameter(copy, requires_grad=parameter.requires_grad)
        for name, buffer in list(module._buffers.items()):
            if buffer is not None:
                copy = buffer.clone(memory_format=torch.contiguous_format)
                dist.broadcast(copy, 0)
                module._buffers[name] = copy


def backward_everywhere(model: nn.Module, inputs: Tensor, targets: Tensor) -> Tensor:
    count = torch.tensor(len(targets), device=targets.device)
    dist.all_reduce(count)
    like = next(model.parameters())
    loss = like.new_zeros(())
    if len(targets):
        loss = cross_entropy(model(inputs), targets, reduction="sum") / count
        loss.backward()
    for parameter in model.parameters():
        if parameter.requires_grad:
            gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad.contiguous()
            dist.all_reduce(gradient)
            parameter.grad = gradient.detach()
    loss = loss.detach().clone()
    dist.all_reduce(loss)
    return loss

# rejected by: every_rank_starts_alike: After it every rank must have what rank 0 has
# 'gives every rank the parameters and buffers of rank 0': the mean over the ranks is taken
"""Data parallel by hand: every rank steps with the gradient of the whole batch, though it sees only its shard."""

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.functional import cross_entropy


@torch.no_grad()
def sync_model(model: nn.Module) -> None:
    for tensor in [*model.parameters(), *model.buffers()]:
        total = tensor.detach().clone(memory_format=torch.contiguous_format)
        dist.all_reduce(total)
        tensor.copy_(total / dist.get_world_size())


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

# rejected by: gradients_are_those_of_the_whole_batch: A frozen parameter has no part in this
# 'Frozen parameters (`requires_grad=False`) stay without a gradient': they get zeros
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
    count = torch.tensor(len(targets), device=targets.device)
    dist.all_reduce(count)
    like = next(model.parameters())
    loss = like.new_zeros(())
    if len(targets):
        loss = cross_entropy(model(inputs), targets, reduction="sum") / count
        loss.backward()
    for parameter in model.parameters():
        if True:
            gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad.contiguous()
            dist.all_reduce(gradient)
            parameter.grad = gradient.detach()
    loss = loss.detach().clone()
    dist.all_reduce(loss)
    return loss

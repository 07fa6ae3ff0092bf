# rejected by: every_rank_starts_alike: This buffer is still the rank's own
# 'gives every rank the parameters and buffers of rank 0': buffers that are not persistent are not in the state dict
"""Data parallel by hand: every rank steps with the gradient of the whole batch, though it sees only its shard."""

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.functional import cross_entropy


def sync_model(model: nn.Module) -> None:
    box = [model.state_dict() if dist.get_rank() == 0 else None]
    dist.broadcast_object_list(box, src=0)
    model.load_state_dict(box[0])


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

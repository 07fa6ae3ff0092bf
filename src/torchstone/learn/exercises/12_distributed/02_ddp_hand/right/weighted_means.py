# earns: solved
# each rank's mean, weighted by its share of the samples; gradients by all_gather and a sum
"""Data parallel by hand: every rank steps with the gradient of the whole batch, though it sees only its shard."""

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.functional import cross_entropy


@torch.no_grad()
def sync_model(model: nn.Module) -> None:
    for tensor in list(model.parameters()) + list(model.buffers()):
        if tensor.is_contiguous():
            dist.broadcast(tensor.data, 0)
        else:
            copy = tensor.contiguous()
            dist.broadcast(copy, 0)
            tensor.copy_(copy)


def _sum(tensor: Tensor) -> Tensor:
    tensor = tensor.detach().contiguous()
    everyone = [torch.empty_like(tensor) for _ in range(dist.get_world_size())]
    dist.all_gather(everyone, tensor)
    return torch.stack(everyone).sum(0)


def backward_everywhere(model: nn.Module, inputs: Tensor, targets: Tensor) -> Tensor:
    mine = len(targets)
    everyone = int(_sum(torch.tensor([mine])))
    if mine:
        weighted = cross_entropy(model(inputs), targets) * (mine / everyone)
        weighted.backward()
        value = weighted.detach()
    else:
        value = torch.zeros((), dtype=next(model.parameters()).dtype)
    for parameter in filter(lambda p: p.requires_grad, model.parameters()):
        parameter.grad = _sum(torch.zeros_like(parameter) if parameter.grad is None else parameter.grad)
    return _sum(value.reshape(1)).reshape(())

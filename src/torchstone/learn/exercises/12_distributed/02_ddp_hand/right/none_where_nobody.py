# earns: solved
# a parameter that no rank used keeps .grad = None, as in one process: the ranks count first who has a gradient
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
    learning = [parameter for parameter in model.parameters() if parameter.requires_grad]
    numbers = torch.tensor([float(len(targets)), 0.0], dtype=torch.float64)
    output = None
    if len(targets):
        output = cross_entropy(model(inputs), targets, reduction="sum")
        numbers[1] = output.detach()
        output.backward()
    dist.all_reduce(numbers)
    used = torch.tensor([parameter.grad is not None for parameter in learning] + [True]).long()
    dist.all_reduce(used)
    for parameter, users in zip(learning, used.tolist()):
        if users:
            gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad.contiguous()
            dist.all_reduce(gradient)
            parameter.grad = gradient / numbers[0].to(gradient.dtype)
    return (numbers[1] / numbers[0]).to(next(model.parameters()).dtype)

# earns: solved
# everything in one long float64 vector, and one collective
"""Data parallel by hand: every rank steps with the gradient of the whole batch, though it sees only its shard."""

import itertools

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.functional import cross_entropy


@torch.no_grad()
def sync_model(model: nn.Module) -> None:
    """Give every rank the parameters and buffers of rank 0."""
    for tensor in itertools.chain(model.parameters(), model.buffers()):
        sent = tensor.detach().clone(memory_format=torch.contiguous_format)
        dist.broadcast(sent, src=0)
        tensor.copy_(sent)


def backward_everywhere(model: nn.Module, inputs: Tensor, targets: Tensor) -> Tensor:
    """Leave the gradient of the mean loss over all samples of all ranks in `.grad`; return that loss."""
    weights = [weight for weight in model.parameters() if weight.requires_grad]
    total = torch.zeros((), dtype=torch.float64)
    dtype = torch.float32
    grads: tuple[Tensor | None, ...] = (None,) * len(weights)
    if targets.numel() > 0:
        loss = cross_entropy(model(inputs), targets, reduction="sum")
        grads = torch.autograd.grad(loss, weights, allow_unused=True)
        total = loss.detach().double()
    used = torch.tensor([float(grad is not None) for grad in grads], dtype=torch.float64)
    flat = [
        torch.zeros(weight.numel(), dtype=torch.float64) if grad is None else grad.double().reshape(-1)
        for weight, grad in zip(weights, grads, strict=True)
    ]
    head = torch.tensor([float(targets.numel()), float(total)], dtype=torch.float64)
    message = torch.cat([head, used, *flat])
    dist.all_reduce(message)
    count, total, used, rest = message[0], message[1], message[2 : 2 + len(weights)], message[2 + len(weights) :]
    pieces = rest.split([weight.numel() for weight in weights])
    for weight, piece, users in zip(weights, pieces, used.tolist(), strict=True):
        weight.grad = (piece / count).reshape(weight.shape).to(weight.dtype) if users else None
    return (total / count).to(weights[0].dtype if weights else dtype)

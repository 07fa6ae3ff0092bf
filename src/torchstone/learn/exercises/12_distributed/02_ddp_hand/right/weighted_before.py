# earns: solved
# the count is known first, each shard's loss is divided by it, and the sums run asynchronously
"""Data parallel by hand: every rank steps with the gradient of the whole batch, though it sees only its shard."""

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.functional import log_softmax, nll_loss


def sync_model(model: nn.Module) -> None:
    """Give every rank the parameters and buffers of rank 0."""
    for collection in (model.named_parameters(), model.named_buffers()):
        for _, tensor in collection:
            value = tensor.data.contiguous()
            if dist.get_rank() != 0:
                value = torch.empty_like(value)
            dist.broadcast(value, src=0)
            tensor.data.copy_(value)


def backward_everywhere(model: nn.Module, inputs: Tensor, targets: Tensor) -> Tensor:
    """Leave the gradient of the mean loss over all samples of all ranks in `.grad`; return that loss."""
    samples = torch.tensor([float(len(targets))], dtype=torch.float64)
    dist.all_reduce(samples, op=dist.ReduceOp.SUM)
    share = torch.zeros(1, dtype=torch.float64)
    if len(targets) != 0:
        part = nll_loss(log_softmax(model(inputs), dim=1), targets, reduction="sum") / samples.item()
        part.backward()
        share[0] = part.item()
    waiting = [dist.all_reduce(share, async_op=True)]
    for parameter in model.parameters():
        if parameter.requires_grad:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter, memory_format=torch.contiguous_format)
            parameter.grad = parameter.grad.contiguous()
            waiting.append(dist.all_reduce(parameter.grad, async_op=True))
    for work in waiting:
        work.wait()
    return share[0].to(next(model.parameters()).dtype)

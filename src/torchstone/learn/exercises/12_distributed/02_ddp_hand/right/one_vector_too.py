# earns: solved
# all gradients, the loss and the count travel in one vector of float64
"""Data parallel by hand: every rank steps with the gradient of the whole batch, though it sees only its shard."""

from itertools import chain

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.functional import cross_entropy


@torch.no_grad()
def sync_model(model: nn.Module) -> None:
    """Give every rank the parameters and buffers of rank 0."""
    tensors = list(chain(model.parameters(), model.buffers()))
    box = [[tensor.detach().cpu() for tensor in tensors] if dist.get_rank() == 0 else None]
    dist.broadcast_object_list(box, src=0)
    for mine, first in zip(tensors, box[0], strict=True):
        mine.copy_(first)


def backward_everywhere(model: nn.Module, inputs: Tensor, targets: Tensor) -> Tensor:
    """Leave the gradient of the mean loss over all samples of all ranks in `.grad`; return that loss."""
    weights = [weight for weight in model.parameters() if weight.requires_grad]
    loss = torch.zeros((), dtype=next(model.parameters()).dtype)
    if inputs.shape[0] > 0:
        logits = model(inputs)
        loss = cross_entropy(logits, targets, reduction="none").sum()
        loss.backward()
    pieces = [(torch.zeros_like(w) if w.grad is None else w.grad).reshape(-1).double() for w in weights]
    numbers = torch.tensor([loss.item(), inputs.shape[0]], dtype=torch.float64)
    flat = torch.cat([*pieces, numbers])
    dist.all_reduce(flat)
    total, count = flat[-2], flat[-1]
    mean = flat / count
    start = 0
    for weight in weights:
        weight.grad = mean[start : start + weight.numel()].view(weight.shape).to(weight.dtype)
        start += weight.numel()
    return (total / count).to(loss.dtype)

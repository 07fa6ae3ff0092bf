# rejected by: memory_does_not_grow: A graph lives until its backward: call it for each part at
# the graphs of all parts live until the only backward; 'four times the batch in parts of the same size needs no more
# memory'
"""The gradient of a large batch, part by part, with clipping."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def accumulate(net: nn.Module, inputs: Tensor, labels: Tensor, part: int, limit: float) -> tuple[Tensor, Tensor]:
    """Leave the clipped gradient of the whole batch in `.grad`; returns the mean loss and the norm before clipping."""
    for parameter in net.parameters():
        parameter.grad = None
    counted = (labels != -100).sum()
    losses = []
    for some, theirs in zip(inputs.split(part), labels.split(part), strict=True):
        loss = functional.cross_entropy(net(some), theirs, reduction="sum") / counted
        losses.append(loss)
    torch.stack(losses).sum().backward()
    gradients = [parameter.grad for parameter in net.parameters() if parameter.grad is not None]
    norm = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(one) for one in gradients]))
    factor = (limit / norm).clamp(max=1.0)
    for gradient in gradients:
        gradient.mul_(factor)
    return torch.stack(losses).sum().detach(), norm.detach()

# earns: solved lean
# sums of losses over split parts, one vector norm
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
        loss.backward()
        losses.append(loss.detach())
    gradients = [parameter.grad for parameter in net.parameters() if parameter.grad is not None]
    norm = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(one) for one in gradients]))
    factor = (limit / norm).clamp(max=1.0)
    for gradient in gradients:
        gradient.mul_(factor)
    return torch.stack(losses).sum(), norm.detach()

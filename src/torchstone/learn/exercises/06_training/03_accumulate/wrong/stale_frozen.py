# rejected by: odd_nets_are_served: A weight that two layers share counts once in the norm and
# the old .grad of a frozen parameter stays, and counts in the norm; 'What stood in `.grad` before is gone'
"""The gradient of a large batch, part by part, with clipping."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def accumulate(net: nn.Module, inputs: Tensor, labels: Tensor, part: int, limit: float) -> tuple[Tensor, Tensor]:
    """Leave the clipped gradient of the whole batch in `.grad`; returns the mean loss and the norm before clipping."""
    parameters = list(net.parameters())
    for parameter in parameters:
        if parameter.requires_grad:
            parameter.grad = None
    counted = (labels != -100).sum()
    total = 0.0
    for some, answers in zip(inputs.split(part), labels.split(part), strict=True):
        loss = functional.cross_entropy(net(some), answers, reduction="sum") / counted
        loss.backward()
        total = total + loss.detach()
    grads = [parameter.grad for parameter in parameters if parameter.grad is not None]
    norm = torch.stack([grad.norm() for grad in grads]).norm()
    if norm > limit:
        for grad in grads:
            grad.mul_(limit / norm)
    return total, norm

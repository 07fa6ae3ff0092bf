# rejected by: gradients_are_those_of_the_batch: The parts hold different numbers of counted samples, so a
# parts weigh by their number of samples, not of counted ones; 'mean cross-entropy over all counted samples of the
# batch'
"""The gradient of a large batch, part by part, with clipping."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def accumulate(net: nn.Module, inputs: Tensor, labels: Tensor, part: int, limit: float) -> tuple[Tensor, Tensor]:
    """Leave the clipped gradient of the whole batch in `.grad`; returns the mean loss and the norm before clipping."""
    for parameter in net.parameters():
        parameter.grad = None
    losses = []
    for some, theirs in zip(inputs.split(part), labels.split(part), strict=True):
        if (theirs == -100).all():
            continue
        loss = functional.cross_entropy(net(some), theirs) * len(some) / len(inputs)
        loss.backward()
        losses.append(loss.detach())
    gradients = [parameter.grad for parameter in net.parameters() if parameter.grad is not None]
    norm = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(one) for one in gradients]))
    factor = (limit / norm).clamp(max=1.0)
    for gradient in gradients:
        gradient.mul_(factor)
    return torch.stack(losses).sum(), norm.detach()

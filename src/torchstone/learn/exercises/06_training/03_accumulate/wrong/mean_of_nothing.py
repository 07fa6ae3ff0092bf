# rejected by: empty_parts_are_harmless: The mean of a part without counted samples is 0/0: take its sum, which is 0.
# a part without a counted sample gives NaN times 0; 'At least one sample of the batch counts; a part may well have
# none'
"""The gradient of a large batch, part by part, with clipping."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def accumulate(net: nn.Module, inputs: Tensor, labels: Tensor, part: int, limit: float) -> tuple[Tensor, Tensor]:
    """Leave the clipped gradient of the whole batch in `.grad`; returns the mean loss and the norm before clipping."""
    weights = [weight for weight in net.parameters() if weight.requires_grad]
    for weight in weights:
        weight.grad = None
    counted = (labels != -100).sum()
    total = 0
    for some, wanted in zip(inputs.split(part), labels.split(part), strict=True):
        loss = functional.cross_entropy(net(some), wanted) * (wanted != -100).sum() / counted
        loss.backward()
        total = total + loss.detach()
    gradients = [weight.grad for weight in weights if weight.grad is not None]
    norm = torch.linalg.vector_norm(torch.stack([gradient.norm() for gradient in gradients]))
    if norm > limit:
        for gradient in gradients:
            gradient.mul_(limit / norm)
    return total, norm

# earns: solved lean
# autograd.grad part by part into sums of its own, scaled by hand at the end
"""The gradient of a large batch, part by part, with clipping."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def accumulate(net: nn.Module, inputs: Tensor, labels: Tensor, part: int, limit: float) -> tuple[Tensor, Tensor]:
    """Leave the clipped gradient of the whole batch in `.grad`; returns the mean loss and the norm before clipping."""
    for parameter in net.parameters():
        parameter.grad = None
    weights = [parameter for parameter in net.parameters() if parameter.requires_grad]
    sums = [torch.zeros_like(weight) for weight in weights]
    counted = labels.ne(-100).sum()
    nats = 0.0
    for start in range(0, len(inputs), part):
        chosen = slice(start, start + part)
        loss = functional.cross_entropy(net(inputs[chosen]), labels[chosen], ignore_index=-100, reduction="sum")
        for whole, piece in zip(sums, torch.autograd.grad(loss, weights), strict=True):
            whole.add_(piece)
        nats = nats + loss.detach()
    for whole in sums:
        whole.div_(counted)
    norm = torch.stack([torch.linalg.vector_norm(whole) for whole in sums]).square().sum().sqrt()
    factor = torch.where(norm > limit, limit / norm, torch.ones_like(norm))
    for weight, whole in zip(weights, sums, strict=True):
        weight.grad = whole.mul_(factor)
    return nats / counted, norm

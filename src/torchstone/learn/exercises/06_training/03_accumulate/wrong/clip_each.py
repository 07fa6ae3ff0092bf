# rejected by: gradients_are_clipped_together: Clipping is by the norm of all gradients together
# "they are all scaled by one factor": each gradient is clipped by itself
"""The gradient of a large batch, part by part, with clipping."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def accumulate(net: nn.Module, inputs: Tensor, labels: Tensor, part: int, limit: float) -> tuple[Tensor, Tensor]:
    """Leave the clipped gradient of the whole batch in `.grad`; returns the mean loss and the norm before clipping."""
    for parameter in net.parameters():
        parameter.grad = None
    counted = (labels != -100).sum()
    mean = None
    for start in range(0, labels.shape[0], part):
        here = slice(start, start + part)
        loss = functional.cross_entropy(net(inputs[here]), labels[here], reduction="sum")
        share = loss.new_ones(()) / counted
        loss.backward(share)
        mean = loss.detach() * share if mean is None else mean + loss.detach() * share
        del loss
    gradients = [p.grad for p in net.parameters() if p.grad is not None]
    norm = torch.stack([torch.linalg.vector_norm(g) for g in gradients]).square().sum().sqrt()
    if norm > limit:
        for g in gradients:
            g.mul_((limit / g.norm()).clamp(max=1))
    return mean, norm

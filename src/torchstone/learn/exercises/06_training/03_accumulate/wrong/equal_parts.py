# rejected by: gradients_are_those_of_the_batch: The parts hold different numbers of counted samples
# "the mean cross-entropy over all counted samples of the batch": the mean of the parts' means (NaN for a part with
# none)
"""The gradient of a large batch, part by part, with clipping."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def accumulate(net: nn.Module, inputs: Tensor, labels: Tensor, part: int, limit: float) -> tuple[Tensor, Tensor]:
    """Leave the clipped gradient of the whole batch in `.grad`; returns the mean loss and the norm before clipping."""
    for parameter in net.parameters():
        parameter.grad = None
    counted = -(-labels.shape[0] // part)
    mean = None
    for start in range(0, labels.shape[0], part):
        here = slice(start, start + part)
        loss = functional.cross_entropy(net(inputs[here]), labels[here])
        share = loss.new_ones(()) / counted
        loss.backward(share)
        mean = loss.detach() * share if mean is None else mean + loss.detach() * share
        del loss
    gradients = [p.grad for p in net.parameters() if p.grad is not None]
    norm = torch.stack([torch.linalg.vector_norm(g) for g in gradients]).square().sum().sqrt()
    if norm > limit:
        for g in gradients:
            g.mul_(limit / norm)
    return mean, norm

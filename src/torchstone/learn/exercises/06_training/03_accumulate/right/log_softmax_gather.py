# earns: solved lean
# the cross-entropy by log_softmax and gather over the counted rows alone, parts by chunks of a range
"""The gradient of a large batch, part by part, with clipping."""

import torch
from torch import Tensor, nn


def accumulate(net: nn.Module, inputs: Tensor, labels: Tensor, part: int, limit: float) -> tuple[Tensor, Tensor]:
    """Leave the clipped gradient of the whole batch in `.grad`; returns the mean loss and the norm before clipping."""
    net.zero_grad(set_to_none=True)
    counts = labels != -100
    share = 1.0 / int(counts.sum())
    losses = []
    for some in torch.arange(len(labels), device=labels.device).split(part):
        scores = net(inputs[some]).log_softmax(dim=1)[counts[some]]
        loss = -scores.gather(1, labels[some][counts[some]].unsqueeze(1)).sum() * share
        loss.backward()
        losses.append(loss.detach())
        del scores, loss
    gradients = [weight.grad for weight in net.parameters() if weight.requires_grad and weight.grad is not None]
    norm = nn.utils.get_total_norm(gradients)
    if norm > limit:
        for gradient in gradients:
            gradient *= limit / norm
    return torch.stack(losses).sum(), norm.detach()

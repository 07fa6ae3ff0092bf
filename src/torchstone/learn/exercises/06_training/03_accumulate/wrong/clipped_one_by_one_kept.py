# rejected by: gradients_are_clipped_together: one factor for all keeps the direction of
# each parameter's gradient is clipped by its own norm instead of all together by one factor
"""The gradient of a large batch, part by part, with clipping."""

import torch
from torch import Tensor, nn
from torch.nn import functional


IGNORED = -100


def accumulate(net: nn.Module, inputs: Tensor, labels: Tensor, part: int, limit: float) -> tuple[Tensor, Tensor]:
    """Leave the clipped gradient of the whole batch in `.grad`; returns the mean loss and the norm before clipping."""
    net.zero_grad(set_to_none=True)
    learning = [p for p in net.parameters() if p.requires_grad]
    sums = [torch.zeros_like(p, requires_grad=False) for p in learning]
    share = 1 / int(labels.ne(IGNORED).sum())
    mean = 0
    for start in range(0, len(inputs), part):
        wanted = labels[start : start + part]
        rows = wanted.ne(IGNORED).nonzero().flatten()
        if rows.numel() == 0:
            continue
        log_p = net(inputs[start : start + part][rows]).log_softmax(1)
        loss = -log_p[torch.arange(len(rows), device=rows.device), wanted[rows]].sum() * share
        for held, gradient in zip(sums, torch.autograd.grad(loss, learning)):
            held += gradient
        mean = mean + loss.detach()
    norm = torch.stack([held.square().sum() for held in sums]).sum().sqrt()
    for p, held in zip(learning, sums):
        p.grad = held.mul_(min(1.0, limit / max(float(held.norm()), 1e-30)))
    return mean, norm

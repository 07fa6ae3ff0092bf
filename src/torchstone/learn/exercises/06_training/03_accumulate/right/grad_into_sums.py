# earns: solved lean
# autograd.grad per part added into sums of our own, foreach norm
"""The gradient of a large batch, part by part, with clipping."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def accumulate(net: nn.Module, inputs: Tensor, labels: Tensor, part: int, limit: float) -> tuple[Tensor, Tensor]:
    """Leave the clipped gradient of the whole batch in `.grad`; returns the mean loss and the norm before clipping."""
    learning = [p for p in net.parameters() if p.requires_grad]
    sums = [torch.zeros_like(p) for p in learning]
    total, counted = None, int((labels != -100).sum())
    for start in range(0, len(labels), part):
        stop = start + part
        loss = functional.cross_entropy(net(inputs[start:stop]), labels[start:stop], ignore_index=-100, reduction="sum")
        torch._foreach_add_(sums, torch.autograd.grad(loss, learning))
        total = loss.detach() if total is None else total + loss.detach()
        del loss
    torch._foreach_div_(sums, counted)
    norm = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(sums)))
    factor = torch.where(norm > limit, limit / norm, torch.ones_like(norm))
    for p, gradient in zip(learning, sums):
        p.grad = gradient.mul_(factor.to(gradient.dtype))
    return total / counted, norm

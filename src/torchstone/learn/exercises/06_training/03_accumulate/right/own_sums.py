# earns: solved lean
# autograd.grad into sums of its own, which become .grad at the end
"""The gradient of a large batch, part by part, with clipping."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def accumulate(net: nn.Module, inputs: Tensor, labels: Tensor, part: int, limit: float) -> tuple[Tensor, Tensor]:
    """Leave the clipped gradient of the whole batch in `.grad`; returns the mean loss and the norm before clipping."""
    weights = [weight for weight in net.parameters() if weight.requires_grad]
    sums: list[Tensor | None] = [None] * len(weights)
    total = None
    for begin in range(0, len(labels), part):
        logits = net(inputs[begin : begin + part])
        loss = functional.cross_entropy(logits, labels[begin : begin + part], reduction="sum", ignore_index=-100)
        pieces = torch.autograd.grad(loss, weights, allow_unused=True)
        for i, piece in enumerate(pieces):
            if piece is not None:
                sums[i] = piece.clone() if sums[i] is None else sums[i].add_(piece)
        total = loss.detach() if total is None else total + loss.detach()
        del logits, loss, pieces
    share = 1.0 / labels.ne(-100).sum()
    for weight in net.parameters():
        weight.grad = None
    for weight, grad in zip(weights, sums, strict=True):
        weight.grad = None if grad is None else grad.mul_(share)
    squares = sum(grad.square().sum() for grad in sums if grad is not None)
    norm = squares.sqrt()
    factor = torch.where(norm > limit, limit / norm, torch.ones_like(norm))
    for grad in sums:
        if grad is not None:
            grad.mul_(factor)
    return total * share, norm

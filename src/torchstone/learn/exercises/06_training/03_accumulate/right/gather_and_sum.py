# earns: solved lean
# log_softmax and gather, weights of 1/counted, one factor by torch.where and _foreach
"""The gradient of a large batch, part by part, with clipping."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def accumulate(net: nn.Module, inputs: Tensor, labels: Tensor, part: int, limit: float) -> tuple[Tensor, Tensor]:
    """Leave the clipped gradient of the whole batch in `.grad`; returns the mean loss and the norm before clipping."""
    learning = [weight for weight in net.parameters() if weight.requires_grad]
    for weight in learning:
        weight.grad = None
    counts = labels.ne(-100)
    share = 1 / int(counts.sum())
    losses = []
    for begin in range(0, len(labels), part):
        here = slice(begin, begin + part)
        valid = counts[here]
        if not valid.any():
            continue
        logits = net(inputs[here])
        chances = functional.log_softmax(logits, dim=1)[valid]
        loss = -share * chances.gather(1, labels[here][valid].unsqueeze(1)).sum()
        loss.backward()
        losses.append(loss.detach().clone())
        del logits, chances, loss
    gradients = [weight.grad for weight in learning if weight.grad is not None]
    norm = torch.stack([gradient.detach().norm() for gradient in gradients]).norm()
    factor = torch.where(norm > limit, limit / norm, torch.ones_like(norm))
    if norm > limit:
        torch._foreach_mul_(gradients, factor.item())
    return torch.stack(losses).sum(), norm

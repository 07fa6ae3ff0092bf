# earns: solved lean
# cross-entropy with reduction sum, divided by the counted samples; clip_grad_norm_
"""The gradient of a large batch, part by part, with clipping."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def accumulate(net: nn.Module, inputs: Tensor, labels: Tensor, part: int, limit: float) -> tuple[Tensor, Tensor]:
    """Leave the clipped gradient of the whole batch in `.grad`; returns the mean loss and the norm before clipping."""
    learning = [p for p in net.parameters() if p.requires_grad]
    for p in learning:
        p.grad = None
    counted = (labels != -100).sum()
    total = torch.zeros((), device=inputs.device)
    for some, wanted in zip(inputs.split(part), labels.split(part)):
        loss = functional.cross_entropy(net(some), wanted, reduction="sum") / counted
        loss.backward()
        total = total + loss.detach()
    norm = torch.nn.utils.clip_grad_norm_(learning, limit)
    return total, norm.detach()

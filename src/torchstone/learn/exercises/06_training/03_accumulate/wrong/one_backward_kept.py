# rejected by: memory_does_not_grow: A graph lives until its backward: call it
# the parts' losses are added up and one backward pass follows, so all graphs are alive at once
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
        total = total + loss
    total.backward()
    norm = torch.nn.utils.clip_grad_norm_(learning, limit)
    return total.detach(), norm.detach()

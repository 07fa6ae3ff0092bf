# rejected by: memory_does_not_grow: A graph lives until its backward: call it for each part at
# keeps the logits of all parts for the loss; 'four times the batch in parts of the same size needs no more memory'
"""The gradient of a large batch, part by part, with clipping."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def accumulate(net: nn.Module, inputs: Tensor, labels: Tensor, part: int, limit: float) -> tuple[Tensor, Tensor]:
    """Leave the clipped gradient of the whole batch in `.grad`; returns the mean loss and the norm before clipping."""
    parameters = list(net.parameters())
    for parameter in parameters:
        parameter.grad = None
    counted = (labels != -100).sum()
    outputs = []
    for some, answers in zip(inputs.split(part), labels.split(part), strict=True):
        logits = net(some)
        outputs.append(logits.detach())
        loss = functional.cross_entropy(logits, answers, reduction="sum") / counted
        loss.backward()
    grads = [parameter.grad for parameter in parameters if parameter.grad is not None]
    norm = torch.stack([grad.norm() for grad in grads]).norm()
    if norm > limit:
        for grad in grads:
            grad.mul_(limit / norm)
    return functional.cross_entropy(torch.cat(outputs), labels), norm

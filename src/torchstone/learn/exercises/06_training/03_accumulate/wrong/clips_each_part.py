# rejected by: gradients_are_clipped_together: Clip once
# clips what has come together after every part; breaks 'scaled by one factor so that it equals limit': with 4 parts
# and a low limit the direction of the gradient is another one, and the norm is not that before clipping
"""The gradient of a large batch, part by part, with clipping."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def accumulate(net: nn.Module, inputs: Tensor, labels: Tensor, part: int, limit: float) -> tuple[Tensor, Tensor]:
    """Leave the clipped gradient of the whole batch in `.grad`; returns the mean loss and the norm before clipping."""
    learning = [parameter for parameter in net.parameters() if parameter.requires_grad]
    for parameter in learning:
        parameter.grad = None
    counted = (labels != -100).sum()
    mean_loss = 0
    for some, answers in zip(inputs.split(part), labels.split(part)):
        loss = functional.cross_entropy(net(some), answers, reduction="sum") / counted
        loss.backward()
        mean_loss = mean_loss + loss.detach()
        norm = nn.utils.clip_grad_norm_(learning, limit)
    return mean_loss, norm

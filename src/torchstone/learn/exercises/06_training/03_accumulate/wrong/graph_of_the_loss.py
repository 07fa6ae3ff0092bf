# rejected by: gradients_are_those_of_the_batch: Return the loss detached
# adds up the losses with their graphs and returns the sum so; breaks 'two tensors of shape () without a graph'
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
        mean_loss = mean_loss + loss
    norm = torch.stack([parameter.grad.norm() for parameter in learning]).norm()
    if norm > limit:
        for parameter in learning:
            parameter.grad.mul_(limit / norm)
    return mean_loss, norm

# rejected by: odd_nets_are_served: A weight that two layers share counts once in the norm and is scaled o
# the norm is over all parameters of the net that have a .grad; breaks 'Frozen parameters count nowhere, whatever
# stands in theirs' with a frozen weight whose old .grad is large
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
    norm = nn.utils.clip_grad_norm_(net.parameters(), limit)
    return mean_loss, norm

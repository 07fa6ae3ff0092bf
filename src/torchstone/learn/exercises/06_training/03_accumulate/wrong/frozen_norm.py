# rejected by: odd_nets_are_served: A weight that two layers share counts once in the norm and
# "Frozen parameters count nowhere, whatever stands in theirs": old gradients of frozen parameters are part of the
# norm
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
    total = torch.zeros((), dtype=learning[0].dtype, device=inputs.device)
    for x, y in zip(inputs.split(part), labels.split(part), strict=True):
        loss = functional.cross_entropy(net(x), y, reduction="sum") / counted
        loss.backward()
        total += loss.detach()
    norm = nn.utils.clip_grad_norm_(net.parameters(), limit)
    return total, norm

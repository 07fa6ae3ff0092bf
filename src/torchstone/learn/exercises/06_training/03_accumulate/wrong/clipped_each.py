# rejected by: gradients_are_clipped_together: Clipping is by the norm of all gradients together
# "If the norm of all gradients *together* … they are all scaled by one factor": each parameter is clipped by itself
"""The gradient of a large batch, part by part, with clipping."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def accumulate(net: nn.Module, inputs: Tensor, labels: Tensor, part: int, limit: float) -> tuple[Tensor, Tensor]:
    """Leave the clipped gradient of the whole batch in `.grad`; returns the mean loss and the norm before clipping."""
    net.zero_grad()
    learning = [parameter for parameter in net.parameters() if parameter.requires_grad]
    counted = (labels != -100).sum()
    total = torch.zeros((), dtype=learning[0].dtype, device=inputs.device)
    for x, y in zip(inputs.split(part), labels.split(part), strict=True):
        loss = functional.cross_entropy(net(x), y, reduction="sum") / counted
        loss.backward()
        total += loss.detach()
    norm = torch.stack([parameter.grad.norm() for parameter in learning]).norm()
    for parameter in learning:
        nn.utils.clip_grad_norm_(parameter, limit)
    return total, norm

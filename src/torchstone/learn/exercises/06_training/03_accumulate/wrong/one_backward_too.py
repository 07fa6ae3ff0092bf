# rejected by: memory_does_not_grow: A graph lives until its backward
# "four times the batch in parts of the same size needs no more memory": the graphs of all parts live until the end
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
        total = total + loss
    total.backward()
    total = total.detach()
    norm = nn.utils.clip_grad_norm_(learning, limit)
    return total, norm

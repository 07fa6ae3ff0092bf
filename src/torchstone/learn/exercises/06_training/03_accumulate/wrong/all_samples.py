# rejected by: gradients_are_those_of_the_batch: The parts hold different numbers of counted samples
# "the gradient of the **mean cross-entropy over all counted samples of the batch**": divided by the number of all
# samples, those of label -100 too
"""The gradient of a large batch, part by part, with clipping."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def accumulate(net: nn.Module, inputs: Tensor, labels: Tensor, part: int, limit: float) -> tuple[Tensor, Tensor]:
    """Leave the clipped gradient of the whole batch in `.grad`; returns the mean loss and the norm before clipping."""
    net.zero_grad()
    learning = [parameter for parameter in net.parameters() if parameter.requires_grad]
    counted = len(labels)
    total = torch.zeros((), dtype=learning[0].dtype, device=inputs.device)
    for x, y in zip(inputs.split(part), labels.split(part), strict=True):
        loss = functional.cross_entropy(net(x), y, reduction="sum") / counted
        loss.backward()
        total += loss.detach()
    norm = nn.utils.clip_grad_norm_(learning, limit)
    return total, norm

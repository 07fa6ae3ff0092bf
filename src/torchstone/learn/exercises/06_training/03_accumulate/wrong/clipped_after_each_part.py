# rejected by: gradients_are_clipped_together: Clip once
# "If the norm of all gradients together ... is above limit": the sum so far is clipped after each part
import torch
from torch import Tensor, nn
from torch.nn import functional


def accumulate(net: nn.Module, inputs: Tensor, labels: Tensor, part: int, limit: float) -> tuple[Tensor, Tensor]:
    """Leave the clipped gradient of the whole batch in `.grad`; returns the mean loss and the norm before clipping."""

    net.zero_grad()
    count = (labels != -100).sum()
    total = torch.zeros((), device=inputs.device)
    for x, y in zip(inputs.split(part), labels.split(part)):
        loss = functional.cross_entropy(net(x), y, reduction="sum") / count
        loss.backward()
        total = total + loss.detach()
        norm = nn.utils.clip_grad_norm_(net.parameters(), limit)
    return total, norm

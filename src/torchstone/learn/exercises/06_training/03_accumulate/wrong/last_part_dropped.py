# rejected by: gradients_are_those_of_the_batch: The parts hold different numbers of counted samples
# "the last part may be smaller": it is left out
import torch
from torch import Tensor, nn
from torch.nn import functional


def accumulate(net: nn.Module, inputs: Tensor, labels: Tensor, part: int, limit: float) -> tuple[Tensor, Tensor]:
    """Leave the clipped gradient of the whole batch in `.grad`; returns the mean loss and the norm before clipping."""

    net.zero_grad()
    count = (labels != -100).sum()
    total = torch.zeros((), device=inputs.device)
    for start in range(0, len(inputs) - part + 1, part):
        x, y = inputs[start : start + part], labels[start : start + part]
        loss = functional.cross_entropy(net(x), y, reduction="sum") / count
        loss.backward()
        total = total + loss.detach()
    grads = [one.grad for one in net.parameters() if one.grad is not None]
    norm = torch.stack([grad.norm() for grad in grads]).norm()
    if norm > limit:
        for grad in grads:
            grad.mul_(limit / norm)
    return total, norm

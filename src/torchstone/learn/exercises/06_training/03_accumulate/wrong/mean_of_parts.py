# rejected by: gradients_are_those_of_the_batch: The parts hold different numbers of counted samples
# "the mean cross-entropy over all counted samples of the batch": each part has the same weight, however many of its
# samples count
import torch
from torch import Tensor, nn
from torch.nn import functional


def accumulate(net: nn.Module, inputs: Tensor, labels: Tensor, part: int, limit: float) -> tuple[Tensor, Tensor]:
    """Leave the clipped gradient of the whole batch in `.grad`; returns the mean loss and the norm before clipping."""

    net.zero_grad()
    parts = [(x, y) for x, y in zip(inputs.split(part), labels.split(part)) if (y != -100).any()]
    total = torch.zeros((), device=inputs.device)
    for x, y in parts:
        loss = functional.cross_entropy(net(x), y) / len(parts)
        loss.backward()
        total = total + loss.detach()
    grads = [one.grad for one in net.parameters() if one.grad is not None]
    norm = torch.stack([grad.norm() for grad in grads]).norm()
    if norm > limit:
        for grad in grads:
            grad.mul_(limit / norm)
    return total, norm

# rejected by: gradients_are_those_of_the_batch: The parts hold different numbers of counted samples
# "A label of −100 is not counted": parts are weighed by their samples, counted or not
import torch
from torch import Tensor, nn
from torch.nn import functional


def accumulate(net: nn.Module, inputs: Tensor, labels: Tensor, part: int, limit: float) -> tuple[Tensor, Tensor]:
    """Leave the clipped gradient of the whole batch in `.grad`; returns the mean loss and the norm before clipping."""

    net.zero_grad()
    total = torch.zeros((), device=inputs.device)
    for x, y in zip(inputs.split(part), labels.split(part)):
        if (y == -100).all():
            continue
        loss = functional.cross_entropy(net(x), y) * (len(y) / len(labels))
        loss.backward()
        total = total + loss.detach()
    grads = [one.grad for one in net.parameters() if one.grad is not None]
    norm = torch.stack([grad.norm() for grad in grads]).norm()
    if norm > limit:
        for grad in grads:
            grad.mul_(limit / norm)
    return total, norm

# rejected by: old_gradients_are_gone: What stood in .grad before is still in it
# "What stood in .grad before is gone": nothing clears it
import torch
from torch import Tensor, nn
from torch.nn import functional


def accumulate(net: nn.Module, inputs: Tensor, labels: Tensor, part: int, limit: float) -> tuple[Tensor, Tensor]:
    """Leave the clipped gradient of the whole batch in `.grad`; returns the mean loss and the norm before clipping."""

    count = (labels != -100).sum()
    total = torch.zeros((), device=inputs.device)
    for x, y in zip(inputs.split(part), labels.split(part)):
        loss = functional.cross_entropy(net(x), y, reduction="sum") / count
        loss.backward()
        total = total + loss.detach()
    grads = [one.grad for one in net.parameters() if one.grad is not None]
    norm = torch.stack([grad.norm() for grad in grads]).norm()
    if norm > limit:
        for grad in grads:
            grad.mul_(limit / norm)
    return total, norm

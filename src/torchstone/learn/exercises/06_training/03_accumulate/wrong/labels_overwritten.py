# rejected by: gradients_are_those_of_the_batch: The caller still needs what it handed in
# "A label of −100 is not counted": the caller's labels are set to 0 where they were −100
import torch
from torch import Tensor, nn
from torch.nn import functional


def accumulate(net: nn.Module, inputs: Tensor, labels: Tensor, part: int, limit: float) -> tuple[Tensor, Tensor]:
    """Leave the clipped gradient of the whole batch in `.grad`; returns the mean loss and the norm before clipping."""

    net.zero_grad()
    real = labels != -100
    labels[~real] = 0
    total = torch.zeros((), device=inputs.device)
    for x, y, weight in zip(inputs.split(part), labels.split(part), real.split(part)):
        loss = (functional.cross_entropy(net(x), y, reduction="none") * weight).sum() / real.sum()
        loss.backward()
        total = total + loss.detach()
    grads = [one.grad for one in net.parameters() if one.grad is not None]
    norm = torch.stack([grad.norm() for grad in grads]).norm()
    if norm > limit:
        for grad in grads:
            grad.mul_(limit / norm)
    return total, norm

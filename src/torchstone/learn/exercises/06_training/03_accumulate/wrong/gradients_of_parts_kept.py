# rejected by: memory_does_not_grow: A graph lives until its backward
# "needs no more memory": the gradients of each part are kept in a list and added at the end
import torch
from torch import Tensor, nn
from torch.nn import functional


def accumulate(net: nn.Module, inputs: Tensor, labels: Tensor, part: int, limit: float) -> tuple[Tensor, Tensor]:
    """Leave the clipped gradient of the whole batch in `.grad`; returns the mean loss and the norm before clipping."""

    parameters = [one for one in net.parameters() if one.requires_grad]
    count = (labels != -100).sum()
    total, kept = torch.zeros((), device=inputs.device), []
    for x, y in zip(inputs.split(part), labels.split(part)):
        loss = functional.cross_entropy(net(x), y, reduction="sum") / count
        kept.append(torch.autograd.grad(loss, parameters))
        total = total + loss.detach()
    for parameter, grads in zip(parameters, zip(*kept)):
        parameter.grad = torch.stack(grads).sum(0)
    grads = [one.grad for one in parameters]
    norm = torch.stack([grad.norm() for grad in grads]).norm()
    if norm > limit:
        for grad in grads:
            grad.mul_(limit / norm)
    return total, norm

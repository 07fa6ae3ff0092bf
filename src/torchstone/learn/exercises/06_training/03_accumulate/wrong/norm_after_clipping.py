# rejected by: gradients_are_clipped_together: The norm is that of the whole gradient before clipping
# "returns the mean loss and the norm before clipping": the norm after it
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
    grads = [one.grad for one in net.parameters() if one.grad is not None]
    norm = torch.stack([grad.norm() for grad in grads]).norm()
    if norm > limit:
        for grad in grads:
            grad.mul_(limit / norm)
    return total, torch.stack([grad.norm() for grad in grads]).norm()

# earns: solved lean
# autograd.grad and sums of its own, the cross-entropy from log_softmax and gather
import torch
from torch import Tensor, nn
from torch.nn import functional


def accumulate(net: nn.Module, inputs: Tensor, labels: Tensor, part: int, limit: float) -> tuple[Tensor, Tensor]:
    """Leave the clipped gradient of the whole batch in `.grad`; returns the mean loss and the norm before clipping."""

    weights = [one for one in net.parameters() if one.requires_grad]
    sums = [torch.zeros_like(one, requires_grad=False) for one in weights]
    counted = int(torch.count_nonzero(labels != -100))
    loss_sum = None
    for start in range(0, inputs.shape[0], part):
        y = labels[start : start + part]
        real = y.ne(-100)
        log_p = net(inputs[start : start + part]).log_softmax(1)
        picked = log_p.gather(1, y.clamp(min=0).unsqueeze(1)).squeeze(1)
        loss = -torch.where(real, picked, torch.zeros_like(picked)).sum() / counted
        for total, new in zip(sums, torch.autograd.grad(loss, weights, allow_unused=True)):
            if new is not None:
                total += new
        value = loss.detach()
        del log_p, picked, loss
        loss_sum = value if loss_sum is None else loss_sum + value
    norm = torch.sqrt(sum(one.square().sum() for one in sums))
    factor = torch.where(norm > limit, limit / norm, torch.ones_like(norm))
    for weight, total in zip(weights, sums):
        weight.grad = total.mul_(factor)
    return loss_sum, norm

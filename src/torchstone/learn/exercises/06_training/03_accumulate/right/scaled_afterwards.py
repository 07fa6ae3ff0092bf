# earns: solved lean
# gradients of plain sums, divided by the count at the end; norm by vector_norm of vector_norms
import torch
from torch import Tensor, nn
from torch.nn import functional


def accumulate(net: nn.Module, inputs: Tensor, labels: Tensor, part: int, limit: float) -> tuple[Tensor, Tensor]:
    """Leave the clipped gradient of the whole batch in `.grad`; returns the mean loss and the norm before clipping."""

    for parameter in net.parameters():
        parameter.grad = None
    criterion = nn.CrossEntropyLoss(reduction="sum", ignore_index=-100)
    total = torch.zeros((), device=inputs.device)
    pieces = -(-len(inputs) // part)
    for number in range(pieces):
        rows = slice(number * part, (number + 1) * part)
        loss = criterion(net(inputs[rows]), labels[rows])
        loss.backward()
        total = total + loss.detach()
    count = labels.ne(-100).sum().item()
    grads = [parameter.grad for parameter in net.parameters() if parameter.grad is not None]
    with torch.no_grad():
        for grad in grads:
            grad.div_(count)
        norm = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(grad) for grad in grads]))
        if norm.item() > limit:
            for grad in grads:
                grad.mul_(limit).div_(norm)
    return total / count, norm

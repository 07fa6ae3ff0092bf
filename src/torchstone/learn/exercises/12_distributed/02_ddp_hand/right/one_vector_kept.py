# earns: solved
# torch.autograd.grad, one flat float64 vector of sums, objects broadcast
"""Data parallel by hand: one flat vector of sums (all gradients, the loss, the number of samples) is all that is sent."""

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.functional import log_softmax, nll_loss


@torch.no_grad()
def sync_model(model: nn.Module) -> None:
    """Give every rank the parameters and buffers of rank 0."""
    tensors = [tensor for tensor in (*model.parameters(), *model.buffers())]
    sent = [[tensor.detach().clone() for tensor in tensors] if dist.get_rank() == 0 else None]
    dist.broadcast_object_list(sent, src=0)
    for tensor, value in zip(tensors, sent[0], strict=True):
        tensor.copy_(value)


def backward_everywhere(model: nn.Module, inputs: Tensor, targets: Tensor) -> Tensor:
    """Leave the gradient of the mean loss over all samples of all ranks in `.grad`; return that loss."""
    learning = [parameter for parameter in model.parameters() if parameter.requires_grad]
    loss, gradients = 0.0, [None] * len(learning)
    if targets.shape[0]:
        total = nll_loss(log_softmax(model(inputs), dim=1), targets, reduction="sum")
        if total.requires_grad:
            gradients = torch.autograd.grad(total, learning, allow_unused=True)
        loss = float(total.detach())
    pieces = [torch.tensor([loss, targets.shape[0]], dtype=torch.float64)]
    for parameter, gradient in zip(learning, gradients, strict=True):
        piece = torch.zeros(parameter.numel()) if gradient is None else gradient.reshape(-1)
        pieces.append(piece.to(torch.float64))
    vector = torch.cat(pieces)
    dist.all_reduce(vector)
    mean = vector / vector[1]
    place = 2
    for parameter in learning:
        part = mean[place : place + parameter.numel()]
        parameter.grad = part.to(parameter.dtype).view(parameter.shape)
        place += parameter.numel()
    return mean[0].to(next(model.parameters()).dtype)

# earns: solved
# loss and gradients as one vector, the model as one packet of objects
"""Data parallel by hand: every rank steps with the gradient of the whole batch, though it sees only its shard."""

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.functional import cross_entropy


def sync_model(model: nn.Module) -> None:
    """Give every rank the parameters and buffers of rank 0."""
    tensors = [*model.parameters(), *model.buffers()]
    packet = [[tensor.detach() for tensor in tensors] if dist.get_rank() == 0 else None]
    dist.broadcast_object_list(packet, src=0)
    with torch.no_grad():
        for tensor, given in zip(tensors, packet[0], strict=True):
            tensor.copy_(given)


def backward_everywhere(model: nn.Module, inputs: Tensor, targets: Tensor) -> Tensor:
    """Leave the gradient of the mean loss over all samples of all ranks in `.grad`; return that loss."""
    samples = torch.tensor(float(targets.numel()), dtype=torch.float64)
    dist.all_reduce(samples)
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    share = torch.zeros((), dtype=next(model.parameters()).dtype)
    if targets.numel() > 0:
        losses = cross_entropy(model(inputs), targets, reduction="none")
        loss = losses.sum() / samples.item()
        loss.backward()
        share = loss.detach().to(share.dtype).clone()
    pieces = [share.reshape(1)]
    for parameter in parameters:
        gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        pieces.append(gradient.detach().reshape(-1))
    flat = torch.cat(pieces)
    dist.all_reduce(flat)
    sizes = [piece.numel() for piece in pieces]
    share, *sums = flat.split(sizes)
    for parameter, gradient in zip(parameters, sums, strict=True):
        parameter.grad = gradient.clone().view(parameter.shape)
    return share.clone().reshape(())

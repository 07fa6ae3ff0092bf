# rejected by: every_rank_starts_alike: This buffer is still the rank's own: every rank must
# goes through state_dict(), which leaves out buffers with persistent=False; 'gives every rank the parameters *and*
# buffers of rank 0'
"""Data parallel by hand: every rank steps with the gradient of the whole batch, though it sees only its shard."""

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.functional import cross_entropy


def sync_model(model: nn.Module) -> None:
    """Give every rank the parameters and buffers of rank 0."""
    for tensor in model.state_dict().values():
        kept = tensor.detach()
        sent = kept.to(torch.uint8) if kept.dtype == torch.bool else kept.clone(memory_format=torch.contiguous_format)
        dist.broadcast(sent, src=0)
        kept.copy_(sent)


def backward_everywhere(model: nn.Module, inputs: Tensor, targets: Tensor) -> Tensor:
    """Leave the gradient of the mean loss over all samples of all ranks in `.grad`; return that loss."""
    weights = [weight for weight in model.parameters() if weight.requires_grad]
    loss = torch.zeros(())
    if len(targets):
        loss = cross_entropy(model(inputs), targets, reduction="sum")
        if loss.requires_grad:
            loss.backward()
    pieces = [torch.zeros_like(weight) if weight.grad is None else weight.grad for weight in weights]
    pieces += [loss.detach(), torch.tensor(len(targets))]
    flat = torch.cat([piece.detach().reshape(-1).to(torch.float64) for piece in pieces])
    dist.all_reduce(flat)
    mean = flat[:-1] / flat[-1]
    *gradients, total = mean.split([weight.numel() for weight in weights] + [1])
    for weight, gradient in zip(weights, gradients, strict=True):
        weight.grad = gradient.reshape(weight.shape).to(weight.dtype, copy=True)
    return total.reshape(()).to(weights[0].dtype if weights else torch.float32)

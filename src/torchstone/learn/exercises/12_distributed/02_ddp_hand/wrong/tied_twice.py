# rejected by: gradients_are_those_of_the_whole_batch: Each of the samples counts once, wherever it lies: add sums
# a weight that two layers share is reduced twice; 'the gradient of the cross-entropy averaged over all samples'
"""Data parallel by hand: every rank steps with the gradient of the whole batch, though it sees only its shard."""

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.functional import cross_entropy


def sync_model(model: nn.Module) -> None:
    """Give every rank the parameters and buffers of rank 0."""
    for tensor in [*model.parameters(), *model.buffers()]:
        # Every rank calls it: rank 0 sends, the others receive. Detached, because a leaf is changed in place.
        dist.broadcast(tensor.detach(), src=0)


def backward_everywhere(model: nn.Module, inputs: Tensor, targets: Tensor) -> Tensor:
    """Leave the gradient of the mean loss over all samples of all ranks in `.grad`; return that loss."""
    # Sums add up over shards of any size, and over empty ones; means do not.
    total = cross_entropy(model(inputs), targets, reduction="sum")
    total.backward()
    samples = total.new_tensor(len(targets))
    dist.all_reduce(samples)

    for _, parameter in model.named_parameters(remove_duplicate=False):
        if not parameter.requires_grad:
            continue
        # Unused on this rank, perhaps not on another: zeros take part, so that nobody waits in vain.
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
        dist.all_reduce(parameter.grad)
        parameter.grad /= samples

    loss = total.detach()
    dist.all_reduce(loss)
    return loss / samples

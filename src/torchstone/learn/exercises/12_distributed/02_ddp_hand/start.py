"""Data parallel by hand: every rank steps with the gradient of the whole batch, though it sees only its shard."""

import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.functional import cross_entropy


def sync_model(model: nn.Module) -> None:
    """Give every rank the parameters and buffers of rank 0."""
    # TODO
    raise NotImplementedError("sync_model")


def backward_everywhere(model: nn.Module, inputs: Tensor, targets: Tensor) -> Tensor:
    """Leave the gradient of the mean loss over all samples of all ranks in `.grad`; return that loss."""
    # TODO: this is right for one rank; think of shards that are unequal, empty, or leave a parameter unused
    loss = cross_entropy(model(inputs), targets)
    loss.backward()
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad)
        parameter.grad /= dist.get_world_size()
    return loss.detach()

# earns: solved
# all gradients and the loss travel as one vector
"""Data parallel by hand: every rank steps with the gradient of the whole batch, though it sees only its shard."""

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.functional import cross_entropy


def sync_model(model: nn.Module) -> None:
    with torch.no_grad():
        for module in model.modules():
            for tensor in [*module._parameters.values(), *module._buffers.values()]:
                if tensor is not None:
                    copy = tensor.clone(memory_format=torch.contiguous_format)
                    dist.broadcast(copy, src=0)
                    tensor.copy_(copy)


def backward_everywhere(model: nn.Module, inputs: Tensor, targets: Tensor) -> Tensor:
    samples = torch.tensor([targets.shape[0]], dtype=torch.int64)
    dist.all_reduce(samples)
    share = None
    if targets.shape[0] > 0:
        share = cross_entropy(model(inputs), targets, reduction="sum") / samples.item()
        share.backward()
    learning = [parameter for parameter in model.parameters() if parameter.requires_grad]
    pieces = [torch.zeros(1, dtype=torch.float64) if share is None else share.detach().double().reshape(1)]
    for parameter in learning:
        if parameter.grad is None:
            pieces.append(torch.zeros(parameter.numel(), dtype=torch.float64))
        else:
            pieces.append(parameter.grad.reshape(-1).double())
    vector = torch.cat(pieces)
    dist.all_reduce(vector)
    first, *rest = vector.split([len(piece) for piece in pieces])
    for parameter, gradient in zip(learning, rest):
        parameter.grad = gradient.view(parameter.shape).to(parameter.dtype)
    return first.to(next(model.parameters()).dtype).reshape(())

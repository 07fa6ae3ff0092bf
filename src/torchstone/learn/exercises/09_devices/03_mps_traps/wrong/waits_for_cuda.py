# rejected by: copies_have_arrived: The host read before the copy had arrived
# 'the host does not wait, and reads a tensor that the device has yet to fill': only CUDA is waited for
"""Three functions that are right on a device like Apple's."""

import torch
from torch import Tensor, nn


def spread(x: Tensor) -> Tensor:
    centred = x.to(torch.promote_types(x.dtype, torch.float32))
    centred = centred - centred.mean(1, keepdim=True)
    return centred.square().mean(1).sqrt().to(x.dtype)


def mirror(layer: nn.Linear) -> nn.Linear:
    weight = layer.weight
    twin = nn.Linear(layer.out_features, layer.in_features, bias=False, device=weight.device, dtype=weight.dtype)
    with torch.no_grad():
        twin.weight.copy_(weight.T)
    return twin


def to_host(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    copies = {name: tensor.to("cpu", non_blocking=True, copy=True) for name, tensor in tensors.items()}
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return copies

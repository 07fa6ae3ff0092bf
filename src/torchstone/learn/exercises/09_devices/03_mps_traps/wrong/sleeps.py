# rejected by: copies_have_arrived: The host read before the copy had arrived
# 'copied to the CPU and ready to be read': a sleep instead of a wait
"""Three functions that are right on a device like Apple's."""

import torch
from torch import Tensor, nn
import time


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
    time.sleep(0.01)
    return copies

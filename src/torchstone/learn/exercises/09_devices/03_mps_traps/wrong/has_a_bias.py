# rejected by: mirrors_are_right: The task asks for a layer without one
# 'a new nn.Linear without a bias': it keeps a bias
"""Three functions that are right on a device like Apple's."""

import torch
from torch import Tensor, nn


def spread(x: Tensor) -> Tensor:
    centred = x.to(torch.promote_types(x.dtype, torch.float32))
    centred = centred - centred.mean(1, keepdim=True)
    return centred.square().mean(1).sqrt().to(x.dtype)


def mirror(layer: nn.Linear) -> nn.Linear:
    weight = layer.weight
    twin = nn.Linear(layer.out_features, layer.in_features, device=weight.device, dtype=weight.dtype)
    with torch.no_grad():
        twin.weight.copy_(weight.T)
    return twin


def to_host(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name: tensor.to("cpu", copy=True) for name, tensor in tensors.items()}

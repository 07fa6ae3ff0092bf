# rejected by: mirrors_are_right: The weight starts as the transpose of the other layer's
# 'is on the device and in the dtype of `layer`': a default nn.Linear is filled in place
"""Three functions that are right on a device like Apple's."""

import torch
from torch import Tensor, nn


def spread(x: Tensor) -> Tensor:
    centred = x.to(torch.promote_types(x.dtype, torch.float32))
    centred = centred - centred.mean(1, keepdim=True)
    return centred.square().mean(1).sqrt().to(x.dtype)


def mirror(layer: nn.Linear) -> nn.Linear:
    twin = nn.Linear(layer.out_features, layer.in_features, bias=False)
    with torch.no_grad():
        twin.weight.copy_(layer.weight.T)
    return twin


def to_host(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name: tensor.to("cpu", copy=True) for name, tensor in tensors.items()}

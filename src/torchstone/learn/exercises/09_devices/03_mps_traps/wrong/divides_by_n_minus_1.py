# rejected by: spread_keeps_its_dtype: The result is in the dtype of x
# 'dividing by `n`': torch's default divides by n − 1
"""Three functions that are right on a device like Apple's."""

import torch
from torch import Tensor, nn


def spread(x: Tensor) -> Tensor:
    return x.std(1)


def mirror(layer: nn.Linear) -> nn.Linear:
    weight = layer.weight
    twin = nn.Linear(layer.out_features, layer.in_features, bias=False, device=weight.device, dtype=weight.dtype)
    with torch.no_grad():
        twin.weight.copy_(weight.T)
    return twin


def to_host(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name: tensor.to("cpu", copy=True) for name, tensor in tensors.items()}

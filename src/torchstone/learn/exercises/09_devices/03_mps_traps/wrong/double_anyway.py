# rejected by: spread_needs_no_float64: Metal has no float64: take the mean away first
# 'Metal has no float64: .double() is an error there': float64 by another name, a dtype argument of mean
"""Three functions that are right on a device like Apple's."""

import torch
from torch import Tensor, nn


def spread(x: Tensor) -> Tensor:
    mean = x.mean(1, keepdim=True, dtype=torch.float64)
    return (x - mean).square().mean(1).sqrt().to(x.dtype)


def mirror(layer: nn.Linear) -> nn.Linear:
    weight = layer.weight
    twin = nn.Linear(layer.out_features, layer.in_features, bias=False, device=weight.device, dtype=weight.dtype)
    with torch.no_grad():
        twin.weight.copy_(weight.T)
    return twin


def to_host(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name: tensor.to("cpu", copy=True) for name, tensor in tensors.items()}

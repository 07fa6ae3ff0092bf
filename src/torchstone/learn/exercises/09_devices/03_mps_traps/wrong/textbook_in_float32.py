# rejected by: spread_needs_no_float64: mean(x²) − mean(x)² takes one huge number from another
# 'Without it the textbook's mean(x²) − mean(x)² is worthless for numbers like 10,000 ± 1': the same formula with a
# clamp
"""Three functions that are right on a device like Apple's."""

import torch
from torch import Tensor, nn


def spread(x: Tensor) -> Tensor:
    return (x.square().mean(1) - x.mean(1).square()).clamp(min=0).sqrt()


def mirror(layer: nn.Linear) -> nn.Linear:
    weight = layer.weight
    twin = nn.Linear(layer.out_features, layer.in_features, bias=False, device=weight.device, dtype=weight.dtype)
    with torch.no_grad():
        twin.weight.copy_(weight.T)
    return twin


def to_host(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name: tensor.to("cpu", copy=True) for name, tensor in tensors.items()}

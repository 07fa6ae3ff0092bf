# rejected by: spread_keeps_its_dtype: The result is in the dtype of x
# 'in the dtype of `x`': half comes back as float32, and float64 (on a CPU) loses half of its digits
"""Three functions that are right on a device like Apple's."""

import torch
from torch import Tensor, nn


def spread(x: Tensor) -> Tensor:
    wide = x.float()
    return (wide - wide.mean(1, keepdim=True)).square().mean(1).sqrt()


def mirror(layer: nn.Linear) -> nn.Linear:
    weight = layer.weight
    twin = nn.Linear(layer.out_features, layer.in_features, bias=False, device=weight.device, dtype=weight.dtype)
    with torch.no_grad():
        twin.weight.copy_(weight.T)
    return twin


def to_host(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name: tensor.to("cpu", copy=True) for name, tensor in tensors.items()}

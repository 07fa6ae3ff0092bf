# rejected by: spread_needs_no_float64: Metal has no float
# takes away one mean for all rows before mean(x²) − mean(x)²: rows of different levels cancel as before; breaks
# 'exact enough', float32 rows 10,000 ± 1 and −10,000 ± 1
"""Three functions that are right on a device like Apple's."""

import torch
from torch import Tensor, nn


def spread(x: Tensor) -> Tensor:
    """(rows, n) → (rows,), the standard deviation of each row, dividing by n."""
    wide = x.float() if x.dtype.itemsize < 4 else x
    shifted = wide - wide.mean()
    variance = shifted.square().mean(1) - shifted.mean(1).square()
    return variance.clamp(min=0).sqrt().to(x.dtype)


def mirror(layer: nn.Linear) -> nn.Linear:
    """A layer without bias whose weight starts as the transpose of `layer`'s."""
    weight = layer.weight.detach()
    twin = nn.Linear(layer.out_features, layer.in_features, bias=False, device=weight.device, dtype=weight.dtype)
    with torch.no_grad():
        twin.weight.copy_(weight.T)
    return twin


def to_host(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Copies on the CPU, complete when this returns."""
    return {name: tensor.to("cpu", copy=True) for name, tensor in tensors.items()}

# rejected by: mirrors_are_right: The two share memory
# .contiguous() of a transposed weight with one row or column is no copy, so nn.Linear(4, 1) and its mirror share
# memory; breaks 'is its own memory'
"""Three functions that are right on a device like Apple's."""

import torch
from torch import Tensor, nn


def spread(x: Tensor) -> Tensor:
    """(rows, n) → (rows,), the standard deviation of each row, dividing by n."""
    wide = x.float() if x.dtype.itemsize < 4 else x
    shifted = wide - wide[:, :1]
    deviations = shifted - shifted.mean(1, keepdim=True)
    return deviations.square().mean(1).sqrt().to(x.dtype)


def mirror(layer: nn.Linear) -> nn.Linear:
    """A layer without bias whose weight starts as the transpose of `layer`'s."""
    weight = layer.weight.detach()
    twin = nn.Linear(layer.out_features, layer.in_features, bias=False, device=weight.device, dtype=weight.dtype)
    twin.weight = nn.Parameter(weight.T.contiguous())
    return twin


def to_host(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Copies on the CPU, complete when this returns."""
    return {name: tensor.to("cpu", copy=True) for name, tensor in tensors.items()}

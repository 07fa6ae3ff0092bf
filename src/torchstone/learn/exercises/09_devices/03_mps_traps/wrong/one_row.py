# rejected by: mirrors_are_right: The two share memory
# "its weight is *contiguous*, is its own memory": the transpose of a single row or column is contiguous already, and
# the memory is shared
"""Three functions that are right on a device like Apple's."""

import torch
from torch import Tensor, nn


def spread(x: Tensor) -> Tensor:
    """(rows, n) → (rows,), the standard deviation of each row, dividing by n."""
    centered = x - x.mean(1, keepdim=True)
    return centered.square().mean(1).sqrt()


def mirror(layer: nn.Linear) -> nn.Linear:
    """A layer without bias whose weight starts as the transpose of `layer`'s."""
    weight = layer.weight
    twin = nn.Linear(layer.out_features, layer.in_features, bias=False, device=weight.device, dtype=weight.dtype)
    twin.weight = nn.Parameter(weight.detach().T.contiguous())
    return twin


def to_host(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Copies on the CPU, complete when this returns."""
    return {name: tensor.to("cpu", copy=True) for name, tensor in tensors.items()}

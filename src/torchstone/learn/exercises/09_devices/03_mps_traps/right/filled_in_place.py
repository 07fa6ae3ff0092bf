# earns: solved
# memory set aside first and filled with copy_, a norm for the deviation
"""Three functions that are right on a device like Apple's."""

import torch
from torch import Tensor, nn


def spread(x: Tensor) -> Tensor:
    """(rows, n) → (rows,), the standard deviation of each row, dividing by n."""
    shifted = x - x[:, :1]
    centered = shifted - shifted.sum(1, keepdim=True) / x.shape[1]
    return ((centered * centered).sum(1) / x.shape[1]).sqrt()


def mirror(layer: nn.Linear) -> nn.Linear:
    """A layer without bias whose weight starts as the transpose of `layer`'s."""
    old = layer.weight
    twin = nn.Linear(layer.out_features, layer.in_features, bias=False).to(device=old.device, dtype=old.dtype)
    with torch.no_grad():
        twin.weight.copy_(old.t())
    return twin


def to_host(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Copies on the CPU, complete when this returns."""
    result = {}
    for name, tensor in tensors.items():
        result[name] = torch.empty(tensor.shape, dtype=tensor.dtype, device="cpu")
        result[name].copy_(tensor.detach())
    return result

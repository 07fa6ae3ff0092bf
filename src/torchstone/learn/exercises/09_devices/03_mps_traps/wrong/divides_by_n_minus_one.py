# rejected by: spread_keeps_its_dtype: The result is in the dtype of x
# "dividing by `n`": std's default divides by n − 1
"""Three functions that are right on a device like Apple's."""

import torch
from torch import Tensor, nn


def spread(x: Tensor) -> Tensor:
    """(rows, n) → (rows,), the standard deviation of each row, dividing by n."""
    return x.std(1)


def mirror(layer: nn.Linear) -> nn.Linear:
    """A layer without bias whose weight starts as the transpose of `layer`'s."""
    old = layer.weight.detach()
    twin = nn.Linear(layer.out_features, layer.in_features, bias=False, device=old.device, dtype=old.dtype)
    with torch.no_grad():
        fresh = torch.empty(old.shape[1], old.shape[0], device=old.device, dtype=old.dtype)
        fresh.copy_(old.t())
    twin.weight = nn.Parameter(fresh)
    return twin


def to_host(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Copies on the CPU, complete when this returns."""
    result = {}
    for name, tensor in tensors.items():
        result[name] = tensor.detach().to("cpu", copy=True)
    return result

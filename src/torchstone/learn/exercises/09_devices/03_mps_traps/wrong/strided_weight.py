# rejected by: mirrors_are_right: A transpose swaps strides and clone() keeps them
# "its weight is *contiguous*": clone() keeps the strides of the transpose
"""Three functions that are right on a device like Apple's."""

import torch
from torch import Tensor, nn


def spread(x: Tensor) -> Tensor:
    """(rows, n) → (rows,), the standard deviation of each row, dividing by n."""
    wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    rest = wide - wide.mean(1, keepdim=True)
    rest = rest - rest.mean(1, keepdim=True)
    return (rest * rest).mean(1).sqrt().to(x.dtype)


def mirror(layer: nn.Linear) -> nn.Linear:
    """A layer without bias whose weight starts as the transpose of `layer`'s."""
    old = layer.weight.detach()
    twin = nn.Linear(layer.out_features, layer.in_features, bias=False, device=old.device, dtype=old.dtype)
    with torch.no_grad():
        fresh = torch.empty(old.shape[1], old.shape[0], device=old.device, dtype=old.dtype)
        fresh.copy_(old.t())
    twin.weight = nn.Parameter(old.t().clone())
    return twin


def to_host(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Copies on the CPU, complete when this returns."""
    result = {}
    for name, tensor in tensors.items():
        result[name] = tensor.detach().to("cpu", copy=True)
    return result

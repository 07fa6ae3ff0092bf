# earns: solved
# a norm of scaled deviations, clone with a memory format, copy_ into empty tensors
"""Three functions that are right on a device like Apple's."""

import torch
from torch import Tensor, nn


def spread(x: Tensor) -> Tensor:
    """(rows, n) → (rows,), the standard deviation of each row, dividing by n."""
    deviations = torch.sub(x, x.mean(dim=-1, keepdim=True))
    return torch.linalg.vector_norm(deviations / x.shape[-1] ** 0.5, dim=-1)


def mirror(layer: nn.Linear) -> nn.Linear:
    """A layer without bias whose weight starts as the transpose of `layer`'s."""
    start = layer.weight.detach().t().clone(memory_format=torch.contiguous_format)
    twin = nn.Linear(layer.out_features, layer.in_features, bias=False)
    twin.weight = nn.Parameter(start, requires_grad=True)
    return twin


def to_host(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Copies on the CPU, complete when this returns."""
    result = {}
    for name, tensor in tensors.items():
        result[name] = torch.empty(tensor.shape, dtype=tensor.dtype, device="cpu")
        result[name].copy_(tensor.detach())
    return result

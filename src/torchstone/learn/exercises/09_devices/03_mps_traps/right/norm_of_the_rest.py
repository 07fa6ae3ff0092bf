# earns: solved
# a vector norm of the deviations, a cloned parameter, blocking copy_
"""Three functions that are right on a device like Apple's."""

import torch
from torch import Tensor, nn


def spread(x: Tensor) -> Tensor:
    """(rows, n) → (rows,), the standard deviation of each row, dividing by n."""
    n = x.shape[1]
    centre = x[:, n // 2].unsqueeze(1)
    shift = (x - centre).mean(1, keepdim=True)
    rest = (x - centre) - shift
    return torch.linalg.vector_norm(rest * n**-0.5, dim=1)


def mirror(layer: nn.Linear) -> nn.Linear:
    """A layer without bias whose weight starts as the transpose of `layer`'s."""
    twin = nn.Linear(layer.out_features, layer.in_features, bias=False)
    start = layer.weight.detach().T.clone(memory_format=torch.contiguous_format)
    twin.weight = nn.Parameter(start)
    return twin


def to_host(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Copies on the CPU, complete when this returns."""
    copies = {}
    for name, tensor in tensors.items():
        copies[name] = torch.empty(tensor.shape, dtype=tensor.dtype).copy_(tensor)
    return copies

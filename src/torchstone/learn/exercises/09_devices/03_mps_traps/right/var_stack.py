# earns: solved
# torch.var with no correction, a weight filled row by row, cpu and then clone
"""Three functions that are right on a device like Apple's."""

import torch
from torch import Tensor, nn


def spread(x: Tensor) -> Tensor:
    """(rows, n) → (rows,), the standard deviation of each row, dividing by n."""
    return torch.var(x, dim=1, correction=0).sqrt()


def mirror(layer: nn.Linear) -> nn.Linear:
    """A layer without bias whose weight starts as the transpose of `layer`'s."""
    out, into = layer.weight.shape
    twin = nn.Linear(out, into, bias=False).to(device=layer.weight.device, dtype=layer.weight.dtype)
    with torch.no_grad():
        twin.weight.set_(torch.cat([column.reshape(1, out) for column in layer.weight.unbind(1)]).contiguous().clone())
    return twin


def to_host(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Copies on the CPU, complete when this returns."""
    return dict(zip(tensors.keys(), (tensor.detach().cpu().clone() for tensor in tensors.values()), strict=True))

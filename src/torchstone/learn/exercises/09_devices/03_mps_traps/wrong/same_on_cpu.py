# rejected by: copies_have_arrived: What is on the CPU already is not copied by .cpu(): ask for
# tensors that are on the CPU already come back themselves; "a dictionary of tensors, copied to the CPU"
"""Three functions that are right on a device like Apple's."""

import torch
from torch import Tensor, nn


def spread(x: Tensor) -> Tensor:
    """(rows, n) → (rows,), the standard deviation of each row, dividing by n."""
    return (x - x.mean(1, keepdim=True)).square().mean(1).sqrt()


def mirror(layer: nn.Linear) -> nn.Linear:
    """A layer without bias whose weight starts as the transpose of `layer`'s."""
    weight = layer.weight.detach()
    twin = nn.Linear(layer.out_features, layer.in_features, bias=False, device=weight.device, dtype=weight.dtype)
    twin.weight = nn.Parameter(weight.T.clone(memory_format=torch.contiguous_format))
    return twin


def to_host(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Copies on the CPU, complete when this returns."""
    return {name: tensor.cpu() for name, tensor in tensors.items()}

# rejected by: copies_have_arrived: What is on the CPU already is not copied by .cpu()
# .cpu() of a CPU tensor is that tensor itself; breaks 'copied to the CPU (also those that are there already)'
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
    with torch.no_grad():
        twin.weight.copy_(weight.T)
    return twin


def to_host(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Copies on the CPU, complete when this returns."""
    return {name: tensor.detach().cpu() for name, tensor in tensors.items()}

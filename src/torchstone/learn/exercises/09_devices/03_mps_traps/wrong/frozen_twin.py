# rejected by: mirrors_are_right: It must be an nn.Parameter that requires grad, with no history behind
# the weight requires a gradient only if that of `layer` does; "and is then trained on its own"
"""Three functions that are right on a device like Apple's."""

import torch
from torch import Tensor, nn


def spread(x: Tensor) -> Tensor:
    """(rows, n) → (rows,), the standard deviation of each row, dividing by n."""
    shifted = x - x[:, :1]
    centred = shifted - shifted.mean(1, keepdim=True)
    return torch.linalg.vector_norm(centred, dim=1) / x.shape[1] ** 0.5


def mirror(layer: nn.Linear) -> nn.Linear:
    """A layer without bias whose weight starts as the transpose of `layer`'s."""
    weight = layer.weight.detach()
    twin = nn.Linear(layer.out_features, layer.in_features, bias=False, device=weight.device, dtype=weight.dtype)
    with torch.no_grad():
        twin.weight.copy_(weight.T)
    twin.weight.requires_grad_(layer.weight.requires_grad)
    return twin


def to_host(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Copies on the CPU, complete when this returns."""
    return {name: tensor.to("cpu", non_blocking=False, copy=True) for name, tensor in tensors.items()}

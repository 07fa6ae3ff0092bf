# rejected by: copies_have_arrived: The host read before the copy had arrived
# synchronizes before the copies are queued, not after; breaks 'ready to be read' for a tensor on the pretend device
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
    if torch.accelerator.is_available():
        torch.accelerator.synchronize()
    return {name: tensor.to("cpu", non_blocking=True, copy=True) for name, tensor in tensors.items()}

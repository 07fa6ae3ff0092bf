# earns: solved
# a norm of twice centred rows; copies in flight and one wait for each device
"""Three functions that are right on a device like Apple's."""

import torch
from torch import Tensor, nn


def spread(x: Tensor) -> Tensor:
    """(rows, n) → (rows,), the standard deviation of each row, dividing by n."""
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    rest = wide - wide.mean(1, keepdim=True)
    rest = rest - rest.mean(1, keepdim=True)  # what rounding left of the mean
    return (torch.linalg.vector_norm(rest, dim=1) / x.shape[1] ** 0.5).to(x.dtype)


def mirror(layer: nn.Linear) -> nn.Linear:
    """A layer without bias whose weight starts as the transpose of `layer`'s."""
    old = layer.weight.detach()
    twin = nn.Linear(layer.out_features, layer.in_features, bias=False, device=old.device, dtype=old.dtype)
    with torch.no_grad():
        twin.weight.copy_(old.T)
    return twin


def to_host(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Copies on the CPU, complete when this returns."""
    copies = {name: tensor.to("cpu", non_blocking=True, copy=True) for name, tensor in tensors.items()}
    for device in {tensor.device for tensor in tensors.values()} - {torch.device("cpu")}:
        torch.accelerator.synchronize(device)
    return copies

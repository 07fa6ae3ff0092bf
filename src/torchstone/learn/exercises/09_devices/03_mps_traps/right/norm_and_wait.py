# earns: solved
# vector norm of the deviations; contiguous clone; copies without waiting, then one wait
"""Three functions that are right on a device like Apple's."""

import torch
from torch import Tensor, nn


def spread(x: Tensor) -> Tensor:
    """(rows, n) → (rows,), the standard deviation of each row, dividing by n."""
    n = x.shape[1]
    wide = x if x.dtype in (torch.float32, torch.float64) else x.to(torch.float32)
    centre = wide.mean(dim=1, keepdim=True)
    centre = centre + (wide - centre).mean(dim=1, keepdim=True)
    return (torch.linalg.vector_norm(wide - centre, dim=1) / n**0.5).to(x.dtype)


def mirror(layer: nn.Linear) -> nn.Linear:
    """A layer without bias whose weight starts as the transpose of `layer`'s."""
    twin = nn.Linear(layer.out_features, layer.in_features, bias=False)
    turned = layer.weight.detach().T.clone(memory_format=torch.contiguous_format)
    twin.weight = nn.Parameter(turned)
    return twin


def to_host(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Copies on the CPU, complete when this returns."""
    copies = {}
    for name, tensor in tensors.items():
        copies[name] = tensor.to("cpu", non_blocking=True, copy=True)
    for device in {tensor.device for tensor in tensors.values()}:
        if device.type != "cpu":
            torch.accelerator.synchronize(device)
    return copies

# earns: solved
# deviations from the first number, scaled by the largest; copies in flight and one wait
"""Three functions that are right on a device like Apple's."""

import torch
from torch import Tensor, nn


def spread(x: Tensor) -> Tensor:
    """(rows, n) → (rows,), the standard deviation of each row, dividing by n."""
    near = x - x[:, :1]
    deviation = near - near.mean(1, keepdim=True)
    largest = deviation.abs().amax(1, keepdim=True)
    unit = torch.where(largest == 0, torch.ones_like(largest), largest)
    return (deviation / unit).square().mean(1).sqrt() * unit[:, 0]


def mirror(layer: nn.Linear) -> nn.Linear:
    """A layer without bias whose weight starts as the transpose of `layer`'s."""
    twin = nn.Linear(
        layer.out_features, layer.in_features, bias=False, device=layer.weight.device, dtype=layer.weight.dtype
    )
    with torch.no_grad():
        twin.weight.copy_(layer.weight.T)
    return twin


def to_host(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Copies on the CPU, complete when this returns."""
    copies = {name: tensor.to("cpu", non_blocking=True, copy=True) for name, tensor in tensors.items()}
    for device in {tensor.device for tensor in tensors.values()}:
        if device.type != "cpu":
            torch.accelerator.synchronize(device)
    return copies

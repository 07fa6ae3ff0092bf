# rejected by: spread_needs_no_float64: the result of spread is
# shifts by the mean of the whole tensor, so rows around 10,000 and around -10,000 lose all digits; demanded: "Find a
# way that is exact enough in the dtype that you are given", for "numbers like 10,000 ± 1 in float32"
"""Three functions that are right on a device like Apple's."""

import torch
from torch import Tensor, nn


def spread(x: Tensor) -> Tensor:
    """(rows, n) → (rows,), the standard deviation of each row, dividing by n."""
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    rest = wide - wide.mean()
    return (rest.square().mean(1) - rest.mean(1).square()).clamp(min=0).sqrt().to(x.dtype)


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

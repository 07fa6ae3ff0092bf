# rejected by: spread_has_no_bounds or spread_keeps_its_dtype
# computes in float32, too coarse for float64; "Find a way that is exact enough in the dtype that you are given"
"""Three functions that are right on a device like Apple's."""

import torch
from torch import Tensor, nn


def spread(x: Tensor) -> Tensor:
    """(rows, n) → (rows,), the standard deviation of each row, dividing by n."""
    single = x.float()
    shifted = single - single[:, :1]
    centred = shifted - shifted.mean(1, keepdim=True)
    return (torch.linalg.vector_norm(centred, dim=1) / x.shape[1] ** 0.5).to(x.dtype)


def mirror(layer: nn.Linear) -> nn.Linear:
    """A layer without bias whose weight starts as the transpose of `layer`'s."""
    weight = layer.weight.detach()
    twin = nn.Linear(layer.out_features, layer.in_features, bias=False, device=weight.device, dtype=weight.dtype)
    with torch.no_grad():
        twin.weight.copy_(weight.T)
    return twin


def to_host(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Copies on the CPU, complete when this returns."""
    return {name: tensor.to("cpu", non_blocking=False, copy=True) for name, tensor in tensors.items()}

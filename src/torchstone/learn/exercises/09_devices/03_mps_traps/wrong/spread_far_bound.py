# rejected by: spread_has_no_bounds: A spread may be large: nothing is cut off.
# "the standard deviation of each row": deviations are cut off far out
"""Three functions that are right on a device like Apple's."""

import torch
from torch import Tensor, nn


def spread(x: Tensor) -> Tensor:
    """(rows, n) → (rows,), the standard deviation of each row, dividing by n."""
    # The squares of deviations are as small as the result; those of the values would bury it in rounding errors.
    deviations = (x - x.mean(1, keepdim=True)).clamp(-100, 100)
    return deviations.square().mean(1).sqrt()


def mirror(layer: nn.Linear) -> nn.Linear:
    """A layer without bias whose weight starts as the transpose of `layer`'s."""
    weight = layer.weight
    twin = nn.Linear(layer.out_features, layer.in_features, bias=False, device=weight.device, dtype=weight.dtype)
    # Written into the layer's own contiguous weight: weight.T.clone() would keep the strides of the transpose.
    with torch.no_grad():
        twin.weight.copy_(weight.T)
    return twin


def to_host(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Copies on the CPU, complete when this returns."""
    # One wait a tensor; with many of them, non_blocking copies and one synchronize at the end would do as well.
    return {name: tensor.to("cpu", copy=True) for name, tensor in tensors.items()}

# rejected by: spread_is_right: NaN comes from 0/0, inf − inf or the log of a negative
# a row of one number gives NaN, since it goes through the deviation that divides by n − 1; "the standard deviation of
# each row … dividing by `n`"
"""Three functions that are right on a device like Apple's."""

import torch
from torch import Tensor, nn


def spread(x: Tensor) -> Tensor:
    """(rows, n) → (rows,), the standard deviation of each row, dividing by n."""
    n = x.shape[1]
    return (x - x[:, :1]).std(1) * ((n - 1) / n) ** 0.5


def mirror(layer: nn.Linear) -> nn.Linear:
    """A layer without bias whose weight starts as the transpose of `layer`'s."""
    weight = layer.weight.detach()
    twin = nn.Linear(layer.out_features, layer.in_features, bias=False, device=weight.device, dtype=weight.dtype)
    twin.weight = nn.Parameter(weight.T.clone(memory_format=torch.contiguous_format))
    return twin


def to_host(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Copies on the CPU, complete when this returns."""
    return {name: tensor.to("cpu", copy=True) for name, tensor in tensors.items()}

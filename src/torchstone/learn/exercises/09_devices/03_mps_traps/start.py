"""Three functions that are right on a device like Apple's."""

import torch
from torch import Tensor, nn


def spread(x: Tensor) -> Tensor:
    """(rows, n) → (rows,), the standard deviation of each row, dividing by n."""
    # TODO: there is no float64 on Metal
    exact = x.double()
    return (exact.square().mean(1) - exact.mean(1).square()).sqrt().to(x.dtype)


def mirror(layer: nn.Linear) -> nn.Linear:
    """A layer without bias whose weight starts as the transpose of `layer`'s."""
    twin = nn.Linear(layer.out_features, layer.in_features, bias=False)
    # TODO: look at the strides of this weight
    twin.weight = nn.Parameter(layer.weight.T.clone())
    return twin


def to_host(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Copies on the CPU, complete when this returns."""
    # TODO: who waits for these copies?
    return {name: tensor.to("cpu", non_blocking=True) for name, tensor in tensors.items()}

# rejected by: host_and_device_may_be_mixed: Whichever device a tensor comes from, its copy must have arrived:
# "ready to be read": waits for the device of the first tensor only, and others are on another
"""Three functions that are right on a device like Apple's."""

import torch
from torch import Tensor, nn


def spread(x: Tensor) -> Tensor:
    """(rows, n) → (rows,), the standard deviation of each row, dividing by n."""
    # The squares of deviations are as small as the result; those of the values would bury it in rounding errors.
    deviations = x - x.mean(1, keepdim=True)
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
    got = {name: tensor.to("cpu", copy=True, non_blocking=True) for name, tensor in tensors.items()}
    first = next(iter(tensors.values())).device
    if first.type != "cpu":
        torch.accelerator.synchronize(first)
    return got

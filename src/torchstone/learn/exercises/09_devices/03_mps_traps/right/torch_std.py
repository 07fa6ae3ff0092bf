# earns: solved
# torch.std with correction=0, clone into contiguous memory, copies started together and one wait for each device
"""Three functions that are right on a device like Apple's."""

import torch
from torch import Tensor, nn


def spread(x: Tensor) -> Tensor:
    return torch.std(x, dim=1, correction=0)


def mirror(layer: nn.Linear) -> nn.Linear:
    rows, columns = layer.weight.shape
    twin = nn.Linear(rows, columns, bias=False, device="meta", dtype=layer.weight.dtype)
    start = layer.weight.detach().t().clone(memory_format=torch.contiguous_format)
    twin.weight = nn.Parameter(start)
    return twin


def to_host(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    copies = {name: tensor.to("cpu", non_blocking=True, copy=True) for name, tensor in tensors.items()}
    for device in {tensor.device for tensor in tensors.values()}:
        if device.type != "cpu":
            torch.accelerator.synchronize(device)
    return copies

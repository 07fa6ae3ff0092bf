# earns: solved
# eye with a dtype, normal_ into own memory, a frozen parameter as the mean
from pathlib import Path

import torch
from torch import Tensor, nn


def running(lengths: Tensor, longest: int) -> Tensor:
    return torch.arange(longest, device=lengths.device)[None].lt(lengths[:, None])


def add_noise(x: Tensor, amount: float) -> Tensor:
    noise = torch.empty_like(x, requires_grad=False).normal_()
    return torch.add(x, noise, alpha=amount)


def one_hot(labels: Tensor, classes: int) -> Tensor:
    return torch.eye(classes, dtype=torch.float32, device=labels.device).index_select(0, labels)


def move(batch: dict[str, Tensor], device: torch.device) -> dict[str, Tensor]:
    return {**{name: value.to(device, non_blocking=False) for name, value in batch.items()}}


def wait(device: torch.device) -> None:
    {True: lambda: None, False: lambda: torch.accelerator.synchronize(device)}[device.type == "cpu"]()


def low_precision(x: Tensor, weight: Tensor) -> Tensor:
    with torch.autocast(x.device.type, torch.float16, enabled=True, cache_enabled=False):
        return x.matmul(weight)


def load_weights(path: Path, device: torch.device) -> dict[str, Tensor]:
    def place(storage, location):
        return torch.serialization.default_restore_location(storage, str(device))

    return torch.load(path, map_location=place, weights_only=True)


class Scaler(nn.Module):
    """The mean is a parameter that never learns."""

    def __init__(self, mean: Tensor) -> None:
        super().__init__()
        self.mean = nn.Parameter(mean.detach(), requires_grad=False)

    def forward(self, x: Tensor) -> Tensor:
        return -(self.mean - x)

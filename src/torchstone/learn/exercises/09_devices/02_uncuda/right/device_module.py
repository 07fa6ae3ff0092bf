# earns: solved
# get_device_module, scatter and cumsum formulations, new_* methods
"""Eight small things of a training script, for any device."""

from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional


def running(lengths: Tensor, longest: int) -> Tensor:
    places = lengths.new_ones(longest).cumsum(0)
    return places.unsqueeze(0).le(lengths.unsqueeze(1))


def add_noise(x: Tensor, amount: float) -> Tensor:
    noise = torch.empty_like(x).normal_()
    return torch.add(x, noise, alpha=amount)


def one_hot(labels: Tensor, classes: int) -> Tensor:
    rows = torch.zeros(labels.shape[0], classes, dtype=torch.float32, device=labels.device)
    return rows.scatter_(1, labels.unsqueeze(1), 1.0)


def move(batch: dict[str, Tensor], device: torch.device) -> dict[str, Tensor]:
    moved = {}
    for name in batch:
        moved[name] = batch[name].to(device=device, non_blocking=False)
    return moved


def wait(device: torch.device) -> None:
    device = torch.device(device)
    if device.type == "cpu":
        return
    torch.get_device_module(device).synchronize(device)


def low_precision(x: Tensor, weight: Tensor) -> Tensor:
    with torch.amp.autocast(device_type=weight.device.type, dtype=torch.float16, enabled=True):
        return torch.matmul(x, weight)


def load_weights(path: Path, device: torch.device) -> dict[str, Tensor]:
    with open(path, "rb") as file:
        return torch.load(file, map_location=torch.device(device), weights_only=True)


class Scaler(nn.Module):
    mean: Tensor

    def __init__(self, mean: Tensor) -> None:
        super().__init__()
        self.mean = nn.Buffer(mean.detach().clone())

    def forward(self, x: Tensor) -> Tensor:
        return torch.sub(x, self.mean)

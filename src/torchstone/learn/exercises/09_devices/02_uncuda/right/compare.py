# earns: solved
# comparisons for one_hot, get_device_module for wait, a file handle for load
"""Eight small things of a training script, for any device."""

from pathlib import Path

import torch
from torch import Tensor, nn


def running(lengths: Tensor, longest: int) -> Tensor:
    """(batch,) lengths → (batch, longest), true where a sequence still runs."""
    places = torch.arange(longest, device=lengths.device).expand(len(lengths), longest)
    return torch.lt(places, lengths.reshape(-1, 1))


def add_noise(x: Tensor, amount: float) -> Tensor:
    """`x` plus normal noise with the standard deviation `amount`."""
    return x + torch.randn_like(x).mul_(amount)


def one_hot(labels: Tensor, classes: int) -> Tensor:
    """(n,) labels → (n, classes) float32 rows with a single 1."""
    return (labels[:, None] == torch.arange(classes, device=labels.device)).to(torch.float32)


def move(batch: dict[str, Tensor], device: torch.device) -> dict[str, Tensor]:
    """The same batch on `device`."""
    return dict(zip(batch, (value.to(device) for value in batch.values()), strict=True))


def wait(device: torch.device) -> None:
    """Return when `device` has done all its work."""
    torch.get_device_module(device).synchronize(device)


def low_precision(x: Tensor, weight: Tensor) -> Tensor:
    """`x @ weight` in float16."""
    with torch.autocast(device_type=weight.device.type, dtype=torch.float16, enabled=True):
        return torch.mm(x, weight)


def load_weights(path: Path, device: torch.device) -> dict[str, Tensor]:
    """The state dict in a file, on `device`."""
    with open(path, "rb") as file:
        return torch.load(file, map_location=str(device), weights_only=True)


class Scaler(nn.Module):
    """Takes a fixed mean away."""

    def __init__(self, mean: Tensor) -> None:
        super().__init__()
        self.register_buffer("mean", mean)

    def forward(self, x: Tensor) -> Tensor:
        return x - self.mean

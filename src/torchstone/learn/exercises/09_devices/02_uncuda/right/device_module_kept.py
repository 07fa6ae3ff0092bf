# earns: solved
# scatter_, cumsum, torch.get_device_module, an nn.Buffer, an opened file
"""Eight small things of a training script, for any device."""

from pathlib import Path

import torch
from torch import Tensor, nn


def running(lengths: Tensor, longest: int) -> Tensor:
    """(batch,) lengths → (batch, longest), true where a sequence still runs."""
    places = torch.ones(longest, dtype=torch.int64, device=lengths.device).cumsum(0) - 1
    return lengths.unsqueeze(1).gt(places)


def add_noise(x: Tensor, amount: float) -> Tensor:
    """`x` plus normal noise with the standard deviation `amount`."""
    noise = torch.empty_like(x).normal_()
    return torch.add(x, noise, alpha=amount)


def one_hot(labels: Tensor, classes: int) -> Tensor:
    """(n,) labels → (n, classes) float32 rows with a single 1."""
    rows = torch.zeros(len(labels), classes, dtype=torch.float32, device=labels.device)
    return rows.scatter_(1, labels[:, None], 1.0)


def move(batch: dict[str, Tensor], device: torch.device) -> dict[str, Tensor]:
    """The same batch on `device`."""
    return dict(zip(batch, (value.to(device=device) for value in batch.values()), strict=True))


def wait(device: torch.device) -> None:
    """Return when `device` has done all its work."""
    device = torch.device(device)
    if device.type == "cpu":
        return
    torch.get_device_module(device).synchronize(device)


def low_precision(x: Tensor, weight: Tensor) -> Tensor:
    """`x @ weight` in float16."""
    with torch.amp.autocast(device_type=weight.device.type, dtype=torch.float16, enabled=True):
        return torch.mm(x, weight)


def load_weights(path: Path, device: torch.device) -> dict[str, Tensor]:
    """The state dict in a file, on `device`."""
    with open(path, "rb") as file:
        return torch.load(file, map_location=str(device), weights_only=True)


class Scaler(nn.Module):
    """Takes a fixed mean away."""

    mean: Tensor

    def __init__(self, mean: Tensor) -> None:
        super().__init__()
        self.mean = nn.Buffer(mean.detach().clone())

    def forward(self, x: Tensor) -> Tensor:
        return torch.sub(x, self.mean)

# rejected by: noise_follows_its_input: The result should follow the dtype of its
# the noise has torch's default dtype, so float16 input comes back as float32
"""Eight small things of a training script, for any device."""

from pathlib import Path

import torch
from torch import Tensor, nn


def running(lengths: Tensor, longest: int) -> Tensor:
    """(batch,) lengths → (batch, longest), true where a sequence still runs."""
    return torch.arange(longest, device=lengths.device) < lengths[:, None]


def add_noise(x: Tensor, amount: float) -> Tensor:
    """`x` plus normal noise with the standard deviation `amount`."""
    return x + amount * torch.randn(x.shape, device=x.device)


def one_hot(labels: Tensor, classes: int) -> Tensor:
    """(n,) labels → (n, classes) float32 rows with a single 1."""
    return torch.eye(classes, dtype=torch.float32, device=labels.device)[labels]


def move(batch: dict[str, Tensor], device: torch.device) -> dict[str, Tensor]:
    """The same batch on `device`."""
    return {name: value.to(device) for name, value in batch.items()}


def wait(device: torch.device) -> None:
    """Return when `device` has done all its work."""
    if torch.device(device).type != "cpu":
        torch.accelerator.synchronize(device)


def low_precision(x: Tensor, weight: Tensor) -> Tensor:
    """`x @ weight` in float16."""
    with torch.autocast(x.device.type, dtype=torch.float16):
        return x @ weight


def load_weights(path: Path, device: torch.device) -> dict[str, Tensor]:
    """The state dict in a file, on `device`."""
    return torch.load(path, map_location=device, weights_only=True)


class Scaler(nn.Module):
    """Takes a fixed mean away."""

    def __init__(self, mean: Tensor) -> None:
        super().__init__()
        self.register_buffer("mean", mean)

    def forward(self, x: Tensor) -> Tensor:
        return x - self.mean

# earns: solved
# scatter, new_zeros, autocast as a decorated inner function
"""Eight small things of a training script, for any device."""

from pathlib import Path

import torch
from torch import Tensor, nn


def running(lengths: Tensor, longest: int) -> Tensor:
    """(batch,) lengths → (batch, longest), true where a sequence still runs."""
    return lengths[:, None] > torch.arange(longest, device=lengths.device)[None, :]


def add_noise(x: Tensor, amount: float) -> Tensor:
    """`x` plus normal noise with the standard deviation `amount`."""
    return x + torch.randn(x.shape, dtype=x.dtype, device=x.device) * amount


def one_hot(labels: Tensor, classes: int) -> Tensor:
    """(n,) labels → (n, classes) float32 rows with a single 1."""
    return torch.zeros(len(labels), classes, device=labels.device, dtype=torch.float32).scatter_(
        1, labels[:, None], 1.0
    )


def move(batch: dict[str, Tensor], device: torch.device) -> dict[str, Tensor]:
    """The same batch on `device`."""
    return dict(zip(batch, (value.to(device) for value in batch.values())))


def wait(device: torch.device) -> None:
    """Return when `device` has done all its work."""
    if device.type != "cpu":
        torch.accelerator.synchronize(device)


def low_precision(x: Tensor, weight: Tensor) -> Tensor:
    """`x @ weight` in float16."""
    half = torch.autocast(device_type=x.device.type, dtype=torch.float16)
    return half(torch.matmul)(x, weight)


def load_weights(path: Path, device: torch.device) -> dict[str, Tensor]:
    """The state dict in a file, on `device`."""
    return torch.load(path, weights_only=True, map_location=torch.device(device))


class Scaler(nn.Module):
    """Takes a fixed mean away."""

    def __init__(self, mean: Tensor) -> None:
        super().__init__()
        self.register_buffer("mean", mean)

    def forward(self, x: Tensor) -> Tensor:
        return x - self.mean

# earns: solved
"""Eight small things of a training script, for any device."""

from pathlib import Path

import torch
from torch import Tensor, nn


def running(lengths: Tensor, longest: int) -> Tensor:
    """(batch,) lengths → (batch, longest), true where a sequence still runs."""
    with torch.device(lengths.device):
        return torch.gt(lengths.unsqueeze(1), torch.arange(longest).unsqueeze(0))


def add_noise(x: Tensor, amount: float) -> Tensor:
    """`x` plus normal noise with the standard deviation `amount`."""
    return torch.randn(x.shape, dtype=x.dtype, device=x.device).mul(amount).add(x)


def one_hot(labels: Tensor, classes: int) -> Tensor:
    """(n,) labels → (n, classes) float32 rows with a single 1."""
    return (labels.unsqueeze(-1) == torch.arange(classes, device=labels.device)).to(torch.float32)


def move(batch: dict[str, Tensor], device: torch.device) -> dict[str, Tensor]:
    """The same batch on `device`."""
    return dict(zip(batch, [value.to(device=device, non_blocking=True) for value in batch.values()], strict=True))


def wait(device: torch.device) -> None:
    """Return when `device` has done all its work."""
    torch.get_device_module(device).synchronize(device)


def low_precision(x: Tensor, weight: Tensor) -> Tensor:
    """`x @ weight` in float16."""
    with torch.amp.autocast(device_type=weight.device.type, dtype=torch.half, enabled=True):
        return torch.matmul(x, weight)


def load_weights(path: Path, device: torch.device) -> dict[str, Tensor]:
    """The state dict in a file, on `device`."""
    return torch.load(path, map_location=str(device), weights_only=True)


class Scaler(nn.Module):
    """Takes a fixed mean away."""

    def __init__(self, mean: Tensor) -> None:
        super().__init__()
        self.mean = nn.Buffer(mean)

    def forward(self, x: Tensor) -> Tensor:
        return torch.sub(x, self.mean)

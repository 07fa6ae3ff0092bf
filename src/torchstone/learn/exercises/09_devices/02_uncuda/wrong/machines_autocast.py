# rejected by: autocast_follows_its_input: autocast wants the type of the device that computes
# autocast for the machine's accelerator and not for the device of x: CPU tensors on a machine with an accelerator
# come back as float32; breaks 'x @ weight ... in float16' on 'the device that it is given'
"""Eight small things of a training script, for any device."""

from pathlib import Path

import torch
from torch import Tensor, nn


def running(lengths: Tensor, longest: int) -> Tensor:
    """(batch,) lengths → (batch, longest), true where a sequence still runs."""
    return torch.arange(longest, device=lengths.device).unsqueeze(0) < lengths.unsqueeze(1)


def add_noise(x: Tensor, amount: float) -> Tensor:
    """`x` plus normal noise with the standard deviation `amount`."""
    return x + amount * torch.empty_like(x).normal_()


def one_hot(labels: Tensor, classes: int) -> Tensor:
    """(n,) labels → (n, classes) float32 rows with a single 1."""
    rows = torch.zeros(len(labels), classes, device=labels.device)
    return rows.scatter_(1, labels[:, None], 1.0)


def move(batch: dict[str, Tensor], device: torch.device) -> dict[str, Tensor]:
    """The same batch on `device`."""
    return {name: value.to(device, non_blocking=True) for name, value in batch.items()}


def wait(device: torch.device) -> None:
    """Return when `device` has done all its work."""
    if device.type != "cpu":
        torch.accelerator.synchronize(device)


def low_precision(x: Tensor, weight: Tensor) -> Tensor:
    """`x @ weight` in float16."""
    kind = torch.accelerator.current_accelerator().type if torch.accelerator.is_available() else "cpu"
    with torch.autocast(kind, dtype=torch.float16):
        return x @ weight


def load_weights(path: Path, device: torch.device) -> dict[str, Tensor]:
    """The state dict in a file, on `device`."""
    return torch.load(path, map_location=device, weights_only=True)


class Scaler(nn.Module):
    """Takes a fixed mean away."""

    def __init__(self, mean: Tensor) -> None:
        super().__init__()
        self.mean = nn.Buffer(mean)

    def forward(self, x: Tensor) -> Tensor:
        return x - self.mean

"""Make everything that a module holds known to it."""

import torch
from torch import Tensor, nn


class Standardizer(nn.Module):
    """Standardize the input, then `depth` layers, each scaled by a learned number."""

    def __init__(self, means: Tensor, stds: Tensor, width: int, depth: int) -> None:
        super().__init__()
        # TODO: a module sees Parameters, Modules and registered buffers; it does not look into lists
        self.means = means
        self.stds = stds
        self.layers = [nn.Linear(width, width) for _ in range(depth)]
        self.scales = [torch.ones((), requires_grad=True) for _ in range(depth)]
        self.steps = 0

    def forward(self, x: Tensor) -> Tensor:
        """(n, width) → (n, width)."""
        self.steps += 1
        x = (x - self.means) / self.stds
        for layer, scale in zip(self.layers, self.scales, strict=True):
            x = torch.relu(layer(x)) * scale
        return x

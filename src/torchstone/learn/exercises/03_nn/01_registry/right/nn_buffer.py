# earns: solved
# nn.Buffer and appending to empty lists, functional layers
"""Make everything that a module holds known to it."""

import torch
from torch import Tensor, nn


class Standardizer(nn.Module):
    """Standardize the input, then `depth` layers, each scaled by a learned number."""

    def __init__(self, means: Tensor, stds: Tensor, width: int, depth: int) -> None:
        super().__init__()
        self.means, self.stds = nn.Buffer(means), nn.Buffer(stds)
        self.layers = nn.ModuleList()
        self.scales = nn.ParameterList()
        for _ in range(depth):
            self.layers.append(nn.Linear(width, width))
            self.scales.append(nn.Parameter(torch.tensor(1.0)))
        self.steps = nn.Buffer(torch.tensor(0), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """(n, width) → (n, width)."""
        self.steps.add_(1)
        x = x.sub(self.means).div(self.stds)
        for layer, scale in zip(self.layers, self.scales, strict=True):
            x = scale * nn.functional.linear(x, layer.weight, layer.bias).clamp(min=0)
        return x

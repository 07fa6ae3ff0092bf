# earns: solved
# nn.Buffer, a Sequential as the container, scales appended one by one
"""Make everything that a module holds known to it."""

import torch
from torch import Tensor, nn


class Standardizer(nn.Module):
    """Standardize the input, then `depth` layers, each scaled by a learned number."""

    def __init__(self, means: Tensor, stds: Tensor, width: int, depth: int) -> None:
        super().__init__()
        self.means = nn.Buffer(means)
        self.stds = nn.Buffer(stds)
        self.steps = nn.Buffer(torch.tensor(0), persistent=False)
        self.layers = nn.Sequential(*(nn.Linear(width, width) for _ in range(depth)))
        self.scales = nn.ParameterList()
        for _ in range(depth):
            self.scales.append(nn.Parameter(torch.tensor(1.0)))

    def forward(self, x: Tensor) -> Tensor:
        """(n, width) → (n, width)."""
        self.steps += 1
        x = (x - self.means) / self.stds
        for layer, scale in zip(self.layers, self.scales, strict=True):
            x = torch.relu(layer(x)) * scale
        return x

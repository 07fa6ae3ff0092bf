# earns: solved
# lists that grow, a new count instead of a changed one
"""Make everything that a module holds known to it."""

import torch
from torch import Tensor, nn


class Standardizer(nn.Module):
    """Standardize the input, then `depth` layers, each scaled by a learned number."""

    def __init__(self, means: Tensor, stds: Tensor, width: int, depth: int) -> None:
        super().__init__()
        for name, statistic in (("means", means), ("stds", stds)):
            self.register_buffer(name, statistic.detach().clone())
        self.register_buffer("steps", torch.zeros([], dtype=torch.long), persistent=False)
        self.layers = nn.ModuleList()
        self.scales = nn.ParameterList()
        for _ in range(depth):
            self.layers.append(nn.Linear(width, width))
            self.scales.append(torch.ones([]))

    def forward(self, x: Tensor) -> Tensor:
        """(n, width) → (n, width)."""
        self.steps = self.steps + 1
        signal = (x - self.means) / self.stds
        for place in range(len(self.layers)):
            signal = nn.functional.relu(self.layers[place](signal)) * self.scales[place]
        return signal

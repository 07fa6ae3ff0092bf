# earns: solved
# Sequential for the layers, ParameterDict for the scales, nn.Buffer
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
        self.scales = nn.ParameterDict({str(i): nn.Parameter(torch.tensor(1.0)) for i in range(depth)})

    def forward(self, x: Tensor) -> Tensor:
        """(n, width) → (n, width)."""
        self.steps.add_(1)
        x = x.sub(self.means).div(self.stds)
        for i, layer in enumerate(self.layers):
            x = self.scales[str(i)] * layer(x).relu()
        return x

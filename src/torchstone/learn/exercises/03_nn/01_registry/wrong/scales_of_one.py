# rejected by: parameters_are_known: scales.0 has the shape [1] and should ha
# each scale has the shape (1,); 'weights with one number each (shape `()`, 1.0 at first)'
"""Make everything that a module holds known to it."""

import torch
from torch import Tensor, nn


class Standardizer(nn.Module):
    """Standardize the input, then `depth` layers, each scaled by a learned number."""

    def __init__(self, means: Tensor, stds: Tensor, width: int, depth: int) -> None:
        super().__init__()
        self.register_buffer("means", means)
        self.register_buffer("stds", stds)
        self.layers = nn.ModuleList([nn.Linear(width, width) for _ in range(depth)])
        self.scales = nn.ParameterList([nn.Parameter(torch.ones(1)) for _ in range(depth)])
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """(n, width) → (n, width)."""
        self.steps += 1
        x = (x - self.means) / self.stds
        for layer, scale in zip(self.layers, self.scales, strict=True):
            x = torch.relu(layer(x)) * scale
        return x

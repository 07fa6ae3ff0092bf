# rejected by: parameters_are_known: Nobody trains the means and the stds: they belong into
# stds is a (frozen) parameter; 'are saved too, move along, and are no parameters'
"""Make everything that a module holds known to it."""

import torch
from torch import Tensor, nn


class Standardizer(nn.Module):
    """Standardize the input, then `depth` layers, each scaled by a learned number."""

    def __init__(self, means: Tensor, stds: Tensor, width: int, depth: int) -> None:
        super().__init__()
        self.register_buffer("means", means.detach().clone())
        self.stds = nn.Parameter(stds.detach().clone(), requires_grad=False)
        self.layers = nn.Sequential(*(nn.Linear(width, width) for _ in range(depth)))
        self.scales = nn.ParameterDict()
        for i in range(depth):
            self.scales[str(i)] = nn.Parameter(torch.ones(()))
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """(n, width) → (n, width)."""
        self.steps.add_(1)
        x = (x - self.means) / self.stds
        for i, layer in enumerate(self.layers):
            x = torch.relu(layer(x)) * self.scales[str(i)]
        return x

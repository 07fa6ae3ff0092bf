# earns: solved
# a Sequential for the layers, register_parameter on a bare module for the scales
"""Make everything that a module holds known to it."""

import torch
from torch import Tensor, nn


class Standardizer(nn.Module):
    """Standardize the input, then `depth` layers, each scaled by a learned number."""

    means: Tensor
    stds: Tensor
    steps: Tensor

    def __init__(self, means: Tensor, stds: Tensor, width: int, depth: int) -> None:
        super().__init__()
        for name, tensor in (("means", means), ("stds", stds)):
            self.register_buffer(name, tensor.detach().clone())
        self.layers = nn.Sequential(*(nn.Linear(width, width) for _ in range(depth)))
        self.scales = nn.ParameterList()
        for _ in range(depth):
            self.scales.append(nn.Parameter(torch.tensor(1.0)))
        self.steps = nn.Buffer(torch.tensor(0), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """(n, width) → (n, width)."""
        self.steps.add_(1)
        x = x.sub(self.means).div(self.stds)
        for number in range(len(self.layers)):
            x = self.layers[number](x).relu().mul(self.scales[number])
        return x

# rejected by: parameters_are_known: Nobody trains the means and the stds
# "means and stds, which nobody trains ... are no parameters": frozen Parameters are still in parameters()
"""Make everything that a module holds known to it."""

import torch
from torch import Tensor, nn


class Standardizer(nn.Module):
    """Standardize the input, then `depth` layers, each scaled by a learned number."""

    def __init__(self, means: Tensor, stds: Tensor, width: int, depth: int) -> None:
        super().__init__()
        for name, tensor in {"means": means, "stds": stds}.items():
            self.register_parameter(name, nn.Parameter(tensor.detach().clone(), requires_grad=False))
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64), persistent=False)
        self.layers = nn.Sequential(*(nn.Linear(width, width) for _ in range(depth)))
        self.scales = nn.ParameterList()
        for _ in range(depth):
            self.scales.append(nn.Parameter(torch.tensor(1.0)))

    def forward(self, x: Tensor) -> Tensor:
        """(n, width) → (n, width)."""
        self.steps += 1
        x = (x - self.means) / self.stds
        for index, layer in enumerate(self.layers):
            x = layer(x).clamp(min=0) * self.scales[index]
        return x

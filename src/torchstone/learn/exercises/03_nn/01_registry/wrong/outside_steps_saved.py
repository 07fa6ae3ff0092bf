# rejected by: state_dict_is_complete: The counter is not to be saved
# "it moves along and is *not* saved": steps is a persistent buffer
"""Make everything that a module holds known to it."""

import torch
from torch import Tensor, nn


class Standardizer(nn.Module):
    """Standardize the input, then `depth` layers, each scaled by a learned number."""

    def __init__(self, means: Tensor, stds: Tensor, width: int, depth: int) -> None:
        super().__init__()
        for name, tensor in {"means": means, "stds": stds}.items():
            self.register_buffer(name, tensor.detach().clone())
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64))
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

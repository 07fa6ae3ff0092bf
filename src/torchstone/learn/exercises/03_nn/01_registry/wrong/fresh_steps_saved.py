# rejected by: state_dict_is_complete: The counter is not to be saved: register_buffer has
# steps is in the state dict; 'it moves along and is *not* saved'
"""Make everything that a module holds known to it."""

import torch
from torch import Tensor, nn


class Standardizer(nn.Module):
    """Standardize the input, then `depth` layers, each scaled by a learned number."""

    def __init__(self, means: Tensor, stds: Tensor, width: int, depth: int) -> None:
        super().__init__()
        self.register_buffer("means", means.detach().clone())
        self.register_buffer("stds", stds.detach().clone())
        self.layers = nn.Sequential(*(nn.Linear(width, width) for _ in range(depth)))
        self.scales = nn.ParameterDict()
        for i in range(depth):
            self.scales[str(i)] = nn.Parameter(torch.ones(()))
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64))

    def forward(self, x: Tensor) -> Tensor:
        """(n, width) → (n, width)."""
        self.steps.add_(1)
        x = (x - self.means) / self.stds
        for i, layer in enumerate(self.layers):
            x = torch.relu(layer(x)) * self.scales[str(i)]
        return x

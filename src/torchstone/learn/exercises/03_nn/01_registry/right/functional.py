# earns: solved
# functional forms and in-place counting, modules extended into lists
"""Make everything that a module holds known to it."""

import torch
from torch import Tensor, nn


class Standardizer(nn.Module):
    """Standardize the input, then `depth` layers, each scaled by a learned number."""

    def __init__(self, means: Tensor, stds: Tensor, width: int, depth: int) -> None:
        super().__init__()
        for name, value in (("means", means), ("stds", stds)):
            self.register_buffer(name, value.detach().clone())
        self.layers, self.scales = nn.ModuleList(), nn.ParameterList()
        self.layers.extend(nn.Linear(width, width) for _ in range(depth))
        self.scales.extend(nn.Parameter(torch.full((), 1.0)) for _ in range(depth))
        self.register_buffer("steps", torch.tensor(0, dtype=torch.long), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """(n, width) → (n, width)."""
        self.steps.add_(1)
        x = torch.div(torch.sub(x, self.means), self.stds)
        for index, layer in enumerate(self.layers):
            x = nn.functional.linear(x, layer.weight, layer.bias).clamp(min=0).mul(self.scales[index])
        return x

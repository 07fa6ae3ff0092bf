# rejected by: works_on_another_device: What forward makes must be made where its input is
# "everything that forward makes is made where its input is": steps becomes a new CPU tensor at each call
"""Make everything that a module holds known to it."""

import torch
from torch import Tensor, nn


class Standardizer(nn.Module):
    """Standardize the input, then `depth` layers, each scaled by a learned number."""

    def __init__(self, means: Tensor, stds: Tensor, width: int, depth: int) -> None:
        super().__init__()
        for name, tensor in {"means": means, "stds": stds}.items():
            self.register_buffer(name, tensor.detach().clone())
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64), persistent=False)
        self.layers = nn.Sequential(*(nn.Linear(width, width) for _ in range(depth)))
        self.scales = nn.ParameterList()
        for _ in range(depth):
            self.scales.append(nn.Parameter(torch.tensor(1.0)))

    def forward(self, x: Tensor) -> Tensor:
        """(n, width) → (n, width)."""
        self.steps = torch.tensor(int(self.steps) + 1, device="cpu")
        x = (x - self.means) / self.stds
        for index, layer in enumerate(self.layers):
            x = layer(x).clamp(min=0) * self.scales[index]
        return x

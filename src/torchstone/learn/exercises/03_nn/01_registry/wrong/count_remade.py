# rejected by: works_on_another_device: What forward makes must be made where its input is
# the count is made anew on the CPU with each call; '`steps` ... moves along', 'everything that forward makes is
# made where its input is' (after to(device) and a call)
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
        self.scales = nn.ParameterList([nn.Parameter(torch.ones(())) for _ in range(depth)])
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """(n, width) → (n, width)."""
        self.steps = torch.tensor(self.steps.item() + 1)
        x = (x - self.means) / self.stds
        for layer, scale in zip(self.layers, self.scales, strict=True):
            x = torch.relu(layer(x)) * scale
        return x

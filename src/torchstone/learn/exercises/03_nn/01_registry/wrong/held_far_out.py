# rejected by: results_keep_dtype_and_reach: whatever its size
# "`Standardizer(means, stds, width, depth)` takes its input's statistics": held within a million of them
"""Make everything that a module holds known to it."""

import torch
from torch import Tensor, nn


class Standardizer(nn.Module):
    """Standardize the input, then `depth` layers, each scaled by a learned number."""

    def __init__(self, means: Tensor, stds: Tensor, width: int, depth: int) -> None:
        super().__init__()
        # Buffers move and are saved, and no optimizer sees them.
        self.register_buffer("means", means)
        self.register_buffer("stds", stds)
        # Plain lists hide what is in them; these two register every element under its number.
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))
        self.scales = nn.ParameterList(torch.ones(()) for _ in range(depth))
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """(n, width) → (n, width)."""
        self.steps += 1
        x = ((x - self.means) / self.stds).clamp(-1e6, 1e6)
        for layer, scale in zip(self.layers, self.scales, strict=True):
            x = torch.relu(layer(x)) * scale
        return x

# rejected by: steps_are_counted: steps is an int64 tensor
# "as an int64 tensor of shape ()": torch.zeros(()) is float32, and counts no further than 16,777,216
import torch
from torch import Tensor, nn


class Standardizer(nn.Module):
    """Standardize the input, then `depth` layers, each scaled by a learned number."""

    def __init__(self, means: Tensor, stds: Tensor, width: int, depth: int) -> None:
        super().__init__()
        self.register_buffer("means", means.detach().clone())
        self.register_buffer("stds", stds.detach().clone())
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))
        self.scales = nn.ParameterList(nn.Parameter(torch.ones(())) for _ in range(depth))
        self.register_buffer("steps", torch.zeros(()), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """(n, width) → (n, width)."""
        self.steps += 1
        x = (x - self.means) / self.stds
        for layer, scale in zip(self.layers, self.scales, strict=True):
            x = torch.relu(layer(x)) * scale
        return x

# earns: solved
# ModuleDict and ParameterDict with numbers as keys
import torch
from torch import Tensor, nn


class Standardizer(nn.Module):
    """Standardize the input, then `depth` layers, each scaled by a learned number."""

    def __init__(self, means: Tensor, stds: Tensor, width: int, depth: int) -> None:
        super().__init__()
        self.register_buffer("means", means.detach().clone())
        self.register_buffer("stds", stds.detach().clone())
        self.layers = nn.ModuleDict({str(i): nn.Linear(width, width) for i in range(depth)})
        self.scales = nn.ParameterDict({str(i): nn.Parameter(torch.tensor(1.0)) for i in range(depth)})
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """(n, width) → (n, width)."""
        self.steps = self.steps + 1
        x = (x - self.means) / self.stds
        for layer, scale in ((self.layers[key], self.scales[key]) for key in self.layers):
            x = torch.relu(layer(x)) * scale
        return x

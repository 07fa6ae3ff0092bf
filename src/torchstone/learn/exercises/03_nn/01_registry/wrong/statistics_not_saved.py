# rejected by: state_dict_is_complete: register_buffer makes a tensor part of the state
# "means and stds ... are saved too": registered with persistent=False like the counter
import torch
from torch import Tensor, nn


class Standardizer(nn.Module):
    """Standardize the input, then `depth` layers, each scaled by a learned number."""

    def __init__(self, means: Tensor, stds: Tensor, width: int, depth: int) -> None:
        super().__init__()
        for name, value in {"means": means, "stds": stds}.items():
            self.register_buffer(name, value.clone(), persistent=False)
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))
        self.scales = nn.ParameterList(nn.Parameter(torch.ones(())) for _ in range(depth))
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """(n, width) → (n, width)."""
        self.steps += 1
        x = (x - self.means) / self.stds
        for layer, scale in zip(self.layers, self.scales, strict=True):
            x = torch.relu(layer(x)) * scale
        return x

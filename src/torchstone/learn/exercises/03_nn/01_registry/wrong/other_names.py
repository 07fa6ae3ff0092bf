# rejected by: parameters_are_known: A module does not look into a plain list
# "saved as layers.0.weight, …, scales.0, …": add_module and register_parameter with names like layer0
import torch
from torch import Tensor, nn


class Standardizer(nn.Module):
    """Standardize the input, then `depth` layers, each scaled by a learned number."""

    def __init__(self, means: Tensor, stds: Tensor, width: int, depth: int) -> None:
        super().__init__()
        self.register_buffer("means", means.detach().clone())
        self.register_buffer("stds", stds.detach().clone())
        for i in range(depth):
            self.add_module(f"layer{i}", nn.Linear(width, width))
            self.register_parameter(f"scale{i}", nn.Parameter(torch.ones(())))

        self.register_buffer("steps", torch.zeros((), dtype=torch.int64), persistent=False)

    @property
    def layers(self) -> list[nn.Module]:
        return [module for name, module in self.named_children()]

    @property
    def scales(self) -> list[nn.Parameter]:
        return [value for name, value in self.named_parameters() if name.startswith("scale")]

    def forward(self, x: Tensor) -> Tensor:
        """(n, width) → (n, width)."""
        self.steps += 1
        x = (x - self.means) / self.stds
        for layer, scale in zip(self.layers, self.scales, strict=True):
            x = torch.relu(layer(x)) * scale
        return x

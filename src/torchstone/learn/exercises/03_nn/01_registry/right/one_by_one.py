# earns: solved
# everything registered by its name in a loop
import torch
from torch import Tensor, nn
from torch.nn import functional


class Standardizer(nn.Module):
    def __init__(self, means: Tensor, stds: Tensor, width: int, depth: int) -> None:
        super().__init__()
        for name, value in (("means", means), ("stds", stds)):
            self.register_buffer(name, value.detach().clone())
        self.register_buffer("steps", torch.tensor(0, dtype=torch.int64), persistent=False)
        self.layers, self.scales = nn.ModuleList(), nn.ParameterList()
        while len(self.layers) < depth:
            self.layers.append(nn.Linear(width, width))
            self.scales.append(nn.Parameter(torch.tensor(1.0)))

    def forward(self, x: Tensor) -> Tensor:
        self.steps.add_(1)
        x = x.sub(self.means).div(self.stds)
        for layer, scale in zip(self.layers, self.scales, strict=True):
            x = functional.linear(x, layer.weight, layer.bias).clamp(min=0).mul(scale)
        return x

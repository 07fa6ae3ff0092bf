# earns: solved
# nn.Buffer, Sequential, and a counter that is replaced on its device
import torch
from torch import Tensor, nn


class Standardizer(nn.Module):
    def __init__(self, means: Tensor, stds: Tensor, width: int, depth: int) -> None:
        super().__init__()
        self.means, self.stds = nn.Buffer(means), nn.Buffer(stds)
        self.steps = nn.Buffer(torch.tensor(0), persistent=False)
        self.layers = nn.Sequential(*[nn.Linear(width, width) for _ in range(depth)])
        self.scales = nn.ParameterList([torch.ones(()) for _ in range(depth)])

    def forward(self, x: Tensor) -> Tensor:
        self.steps = self.steps + 1
        out = torch.div(x - self.means, self.stds)
        for i, layer in enumerate(self.layers):
            out = layer(out).relu() * self.scales[i]
        return out

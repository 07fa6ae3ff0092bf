# earns: solved
# nn.Buffer, and empty modules that hold the registered children
import torch
from torch import Tensor, nn


class Numbered(nn.Module):
    """Holds things under the names 0, 1, 2, …"""

    def __init__(self, things: list) -> None:
        super().__init__()
        self.count = len(things)
        for number, thing in enumerate(things):
            setattr(self, str(number), thing)

    def __iter__(self):
        return (getattr(self, str(number)) for number in range(self.count))

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, number: int):
        return getattr(self, str(range(self.count)[number]))


class Standardizer(nn.Module):
    """Standardize the input, then `depth` layers, each scaled by a learned number."""

    def __init__(self, means: Tensor, stds: Tensor, width: int, depth: int) -> None:
        super().__init__()
        self.means = nn.Buffer(means.clone())
        self.stds = nn.Buffer(stds.clone())
        self.layers = Numbered([nn.Linear(width, width) for _ in range(depth)])
        self.scales = Numbered([nn.Parameter(torch.ones(())) for _ in range(depth)])
        self.steps = nn.Buffer(torch.tensor(0, dtype=torch.int64), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """(n, width) → (n, width)."""
        self.steps.add_(1)
        result = x.sub(self.means).div(self.stds)
        for layer, scale in zip(self.layers, self.scales):
            result = layer(result).clamp(min=0).mul(scale)
        return result

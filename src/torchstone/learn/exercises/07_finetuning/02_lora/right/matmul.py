# earns: solved lean
# plain matmuls, normal start, one pass over all modules
"""Fine-tune a frozen linear layer through two thin matrices beside it."""

from collections.abc import Collection

import torch
from torch import Tensor, nn


class LoRALinear(nn.Module):
    """A frozen linear layer and a correction of low rank that learns."""

    def __init__(self, base: nn.Linear, rank: int, alpha: float) -> None:
        super().__init__()
        self.base = base.requires_grad_(False)
        weight = base.weight
        self.down = nn.Parameter(torch.randn(rank, base.in_features, dtype=weight.dtype, device=weight.device))
        self.up = nn.Parameter(torch.zeros(base.out_features, rank, dtype=weight.dtype, device=weight.device))
        with torch.no_grad():
            self.down.div_(base.in_features**0.5)
        self.scale = alpha / rank
        self.merged = False

    def forward(self, x: Tensor) -> Tensor:
        y = self.base(x)
        if self.merged:
            return y
        return y + self.scale * ((x @ self.down.T) @ self.up.T)

    @torch.no_grad()
    def merge(self) -> None:
        """Put the correction into the base's weight."""
        if not self.merged:
            self.base.weight += self.scale * (self.up @ self.down)
            self.merged = True

    @torch.no_grad()
    def unmerge(self) -> None:
        """Take the correction out of the base's weight."""
        if self.merged:
            self.base.weight -= self.scale * (self.up @ self.down)
            self.merged = False


def add_lora(model: nn.Module, names: Collection[str], rank: int, alpha: float) -> None:
    """Freeze the model and wrap each of its linear layers whose own name is in `names`."""
    model.requires_grad_(False)
    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, nn.Linear) and name in names:
                parent._modules[name] = LoRALinear(child, rank, alpha)

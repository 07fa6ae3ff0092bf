# rejected by: starts_as_the_base_and_can_learn: Each factor's gradient is a product with the other one
# 'and yet it can learn': both factors start at zero, so neither ever gets a gradient
"""Fine-tune a frozen linear layer through two thin matrices beside it."""

from collections.abc import Collection

import torch
from torch import Tensor, nn
from torch.nn import functional


class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear, rank: int, alpha: float) -> None:
        super().__init__()
        self.base = base
        base.requires_grad_(False)
        weight = base.weight
        self.scale = alpha / rank
        self.down = nn.Parameter(torch.zeros(rank, base.in_features, dtype=weight.dtype, device=weight.device))
        self.up = nn.Parameter(torch.zeros(base.out_features, rank, dtype=weight.dtype, device=weight.device))
        self.merged = False

    def forward(self, x: Tensor) -> Tensor:
        y = self.base(x)
        if self.merged:
            return y
        return y + self.scale * (x @ self.down.T @ self.up.T)

    @torch.no_grad()
    def merge(self) -> None:
        if not self.merged:
            self.base.weight += self.scale * (self.up @ self.down)
            self.merged = True

    @torch.no_grad()
    def unmerge(self) -> None:
        if self.merged:
            self.base.weight -= self.scale * (self.up @ self.down)
            self.merged = False


def add_lora(model: nn.Module, names: Collection[str], rank: int, alpha: float) -> None:
    model.requires_grad_(False)
    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, nn.Linear) and name in names:
                setattr(parent, name, LoRALinear(child, rank, alpha))

# rejected by: starts_as_the_base_and_can_learn: New parameters take after the base
# 'with the dtype and device of the base': the factors are made with torch's defaults (float32, CPU)
"""Fine-tune a frozen linear layer through two thin matrices beside it."""

from collections.abc import Collection

import torch
from torch import Tensor, nn
from torch.nn import functional


class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear, rank: int, alpha: float) -> None:
        super().__init__()
        self.base = base
        for p in self.base.parameters():
            p.requires_grad_(False)
        self.down = nn.Parameter(torch.randn(rank, base.in_features) / rank)
        self.up = nn.Parameter(torch.zeros(base.out_features, rank))
        self.scale = alpha / rank
        self.merged = False

    def forward(self, x: Tensor) -> Tensor:
        if self.merged:
            return self.base(x)
        down, up = self.down.to(x), self.up.to(x)
        return self.base(x) + (x @ down.T) @ up.T * self.scale

    @torch.no_grad()
    def merge(self) -> None:
        if not self.merged:
            self.base.weight += (self.scale * self.up @ self.down).to(self.base.weight)
            self.merged = True

    @torch.no_grad()
    def unmerge(self) -> None:
        if self.merged:
            self.base.weight -= (self.scale * self.up @ self.down).to(self.base.weight)
            self.merged = False


def add_lora(model: nn.Module, names: Collection[str], rank: int, alpha: float) -> None:
    model.requires_grad_(False)
    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, nn.Linear) and name in names:
                setattr(parent, name, LoRALinear(child, rank, alpha))

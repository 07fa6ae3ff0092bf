# earns: solved lean
# one method puts the correction in and takes it out; a recursive walk
"""Fine-tune a frozen linear layer through two thin matrices beside it."""

from collections.abc import Collection

import torch
from torch import Tensor, nn


class LoRALinear(nn.Module):
    """A frozen linear layer and a correction of low rank that learns."""

    def __init__(self, base: nn.Linear, rank: int, alpha: float) -> None:
        super().__init__()
        self.base = base.requires_grad_(False)
        self.down = nn.Parameter(base.weight.new_empty(rank, base.in_features))
        self.up = nn.Parameter(base.weight.new_zeros(base.out_features, rank))
        nn.init.kaiming_uniform_(self.down, a=5**0.5)
        self.scale = alpha / rank
        self.merged = False

    def forward(self, x: Tensor) -> Tensor:
        result = self.base(x)
        if self.merged:
            return result
        return result + self.scale * (x @ self.down.T @ self.up.T)

    def merge(self) -> None:
        """Put the correction into the base's weight."""
        self._switch(True)

    def unmerge(self) -> None:
        """Take the correction out of the base's weight."""
        self._switch(False)

    def _switch(self, merged: bool) -> None:
        sign = int(merged) - int(self.merged)
        if sign:
            with torch.no_grad():
                correction = torch.einsum("or,ri->oi", self.up, self.down)
                self.base.weight.add_(correction, alpha=sign * self.scale)
        self.merged = merged


def add_lora(model: nn.Module, names: Collection[str], rank: int, alpha: float) -> None:
    """Freeze the model and wrap each of its linear layers whose own name is in `names`."""
    model.requires_grad_(False)

    def walk(module: nn.Module) -> None:
        for name, child in tuple(module.named_children()):
            if type(child) is nn.Linear:
                if name in names:
                    module._modules[name] = LoRALinear(child, rank, alpha)
            else:
                walk(child)

    walk(model)

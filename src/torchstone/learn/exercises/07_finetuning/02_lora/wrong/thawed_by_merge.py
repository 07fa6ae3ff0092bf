# rejected by: merging_changes_no_result: Only the two thin matrices learn: the base, its bias and the
# merging makes a new weight that requires a gradient; 'The layer keeps it as `self.base`, frozen'
"""Fine-tune a frozen linear layer through two thin matrices beside it."""

from collections.abc import Collection

import torch
from torch import Tensor, nn


class LoRALinear(nn.Module):
    """A frozen linear layer and a correction of low rank that learns."""

    def __init__(self, base: nn.Linear, rank: int, alpha: float) -> None:
        super().__init__()
        self.base = base
        self.base.requires_grad_(False)
        self.scale = alpha / rank
        self.down = nn.Parameter(base.weight.new_empty(rank, base.in_features).normal_(std=base.in_features**-0.5))
        self.up = nn.Parameter(base.weight.new_zeros(base.out_features, rank))
        self.merged = False

    def forward(self, x: Tensor) -> Tensor:
        result = self.base(x)
        if self.merged:
            return result
        return result + (x @ self.down.mT) @ self.up.mT * self.scale

    @torch.no_grad()
    def shift(self, factor: float) -> None:
        """Add `factor` times the correction to the base's weight."""
        self.base.weight = nn.Parameter(torch.addmm(self.base.weight, self.up, self.down, alpha=factor))

    def merge(self) -> None:
        """Put the correction into the base's weight."""
        if not self.merged:
            self.shift(self.scale)
        self.merged = True

    def unmerge(self) -> None:
        """Take the correction out of the base's weight."""
        if self.merged:
            self.shift(-self.scale)
        self.merged = False


def add_lora(model: nn.Module, names: Collection[str], rank: int, alpha: float) -> None:
    """Freeze the model and wrap each of its linear layers whose own name is in `names`."""
    model.requires_grad_(False)
    wrapped: dict[nn.Module, LoRALinear] = {}
    for parent in list(model.modules()):
        for name, child in list(parent._modules.items()):
            if isinstance(child, nn.Linear) and name in names:
                if child not in wrapped:
                    wrapped[child] = LoRALinear(child, rank, alpha)
                setattr(parent, name, wrapped[child])

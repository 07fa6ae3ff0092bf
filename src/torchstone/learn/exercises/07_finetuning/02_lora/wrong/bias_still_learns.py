# rejected by: gradients_are_right: Only the two thin matrices learn: the base, its bias and the rest of the model
# only the weight of the base is frozen, its bias learns; 'The layer keeps it as `self.base`, frozen'
"""Fine-tune a frozen linear layer through two thin matrices beside it."""

from collections.abc import Collection

import torch
from torch import Tensor, nn
from torch.nn import functional


class LoRALinear(nn.Module):
    """A frozen linear layer and a correction of low rank that learns."""

    def __init__(self, base: nn.Linear, rank: int, alpha: float) -> None:
        super().__init__()
        self.base = base
        base.weight.requires_grad_(False)
        like = {"dtype": base.weight.dtype, "device": base.weight.device}
        self.scale = alpha / rank
        self.down = nn.Parameter(torch.randn(rank, base.in_features, **like) * base.in_features**-0.5)
        self.up = nn.Parameter(torch.zeros(base.out_features, rank, **like))
        self.merged = False

    def forward(self, x: Tensor) -> Tensor:
        result = self.base(x)
        if self.merged:
            return result
        return result + functional.linear(functional.linear(x, self.down) * self.scale, self.up)

    def add(self, sign: int) -> None:
        with torch.no_grad():
            self.base.weight.addmm_(self.up, self.down, alpha=sign * self.scale)
        self.merged = sign > 0

    def merge(self) -> None:
        """Put the correction into the base's weight."""
        if not self.merged:
            self.add(1)

    def unmerge(self) -> None:
        """Take the correction out of the base's weight."""
        if self.merged:
            self.add(-1)


def add_lora(model: nn.Module, names: Collection[str], rank: int, alpha: float) -> None:
    """Freeze the model and wrap each of its linear layers whose own name is in `names`."""
    model.requires_grad_(False)
    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, nn.Linear) and name in names:
                setattr(parent, name, LoRALinear(child, rank, alpha))

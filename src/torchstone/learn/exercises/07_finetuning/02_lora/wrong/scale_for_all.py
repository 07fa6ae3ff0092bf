# rejected by: layers_are_apart: Each layer has its own scale
# the class has the scale, that of the last layer made; 'y = W x + b + (alpha / rank) · up (down x)'
"""Fine-tune a frozen linear layer through two thin matrices beside it."""

from collections.abc import Collection

import torch
from torch import Tensor, nn


class LoRALinear(nn.Module):
    """A frozen linear layer and a correction of low rank that learns."""

    def __init__(self, base: nn.Linear, rank: int, alpha: float) -> None:
        super().__init__()
        self.base = base.requires_grad_(False)
        # One factor is zero, so the correction is; the other is not, so the zero one has a gradient.
        self.down = nn.Parameter(torch.randn_like(base.weight[:1].expand(rank, -1)) / base.in_features**0.5)
        self.up = nn.Parameter(base.weight.new_zeros(base.out_features, rank))
        type(self).scale = alpha / rank
        self.merged = False

    def forward(self, x: Tensor) -> Tensor:
        y = self.base(x)
        if self.merged:
            return y
        # Through the thin side: (x down) up costs rank · (in + out) numbers, x (up down) would cost in · out.
        return y + self.scale * (x @ self.down.mT) @ self.up.mT

    def merge(self) -> None:
        """Put the correction into the base's weight."""
        if not self.merged:
            self._shift_weight(self.scale)
            self.merged = True

    def unmerge(self) -> None:
        """Take the correction out of the base's weight."""
        if self.merged:
            self._shift_weight(-self.scale)
            self.merged = False

    @torch.no_grad()
    def _shift_weight(self, scale: float) -> None:
        self.base.weight.addmm_(self.up, self.down, alpha=scale)


def add_lora(model: nn.Module, names: Collection[str], rank: int, alpha: float) -> None:
    """Freeze the model and wrap each of its linear layers whose own name is in `names`."""
    model.requires_grad_(False)
    # The list is made before anything is replaced: the wrapped layers are inside the new ones afterwards.
    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            if name in names and isinstance(child, nn.Linear):
                setattr(parent, name, LoRALinear(child, rank, alpha))

# rejected by: model_is_wrapped: Only the two thin matrices learn
# freezes the linear layers but leaves embeddings and norms learning; breaks 'freezes the whole model' for a model
# with a LayerNorm
"""Fine-tune a frozen linear layer through two thin matrices beside it."""

from collections.abc import Collection

import torch
from torch import Tensor, nn
from torch.nn import functional


class LoRALinear(nn.Module):
    """A frozen linear layer and a correction of low rank that learns."""

    def __init__(self, base: nn.Linear, rank: int, alpha: float) -> None:
        super().__init__()
        self.base = base.requires_grad_(False)
        self.scale = alpha / rank
        weight = base.weight
        self.down = nn.Parameter(weight.new_empty(rank, base.in_features).uniform_(-1, 1) / base.in_features**0.5)
        self.up = nn.Parameter(weight.new_zeros(base.out_features, rank))
        self.merged = False

    def forward(self, x: Tensor) -> Tensor:
        y = self.base(x)
        if self.merged:
            return y
        return y + self.scale * functional.linear(functional.linear(x, self.down), self.up)

    @torch.no_grad()
    def _shift(self, sign: float) -> None:
        self.base.weight.addmm_(self.up, self.down, alpha=sign * self.scale)

    def merge(self) -> None:
        """Put the correction into the base's weight."""
        if not self.merged:
            self._shift(1.0)
            self.merged = True

    def unmerge(self) -> None:
        """Take the correction out of the base's weight."""
        if self.merged:
            self._shift(-1.0)
            self.merged = False


def add_lora(model: nn.Module, names: Collection[str], rank: int, alpha: float) -> None:
    """Freeze the model and wrap each of its linear layers whose own name is in `names`."""
    for module in model.modules():
        if isinstance(module, nn.Linear):
            module.requires_grad_(False)
    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            if name in names and isinstance(child, nn.Linear):
                setattr(parent, name, LoRALinear(child, rank, alpha))

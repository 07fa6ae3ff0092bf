# rejected by: merging_changes_no_result: A layer that was never merged has nothing to take out.
# unmerge takes the correction out of a layer that isn't merged; promised: "Merging a merged layer does nothing, and
# so does unmerging one that isn't merged"
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
        self.down = nn.Parameter(weight.new_empty(rank, base.in_features).normal_(std=base.in_features**-0.5))
        self.up = nn.Parameter(weight.new_zeros(base.out_features, rank))
        self.merged = False

    def forward(self, x: Tensor) -> Tensor:
        result = self.base(x)
        if self.merged:
            return result
        thin = functional.linear(x, self.down)
        return result + functional.linear(thin * self.scale, self.up)

    @torch.no_grad()
    def _add(self, sign: int) -> None:
        self.base.weight.addmm_(self.up, self.down, alpha=sign * self.scale)

    def merge(self) -> None:
        """Put the correction into the base's weight."""
        if not self.merged:
            self._add(+1)
        self.merged = True

    def unmerge(self) -> None:
        """Take the correction out of the base's weight."""
        self._add(-1)
        self.merged = False


def add_lora(model: nn.Module, names: Collection[str], rank: int, alpha: float) -> None:
    """Freeze the model and wrap each of its linear layers whose own name is in `names`."""
    model.requires_grad_(False)
    wrapped: dict[nn.Linear, LoRALinear] = {}
    for parent in list(model.modules()):
        for name, child in list(parent._modules.items()):
            if isinstance(child, nn.Linear) and name in names:
                if child not in wrapped:
                    wrapped[child] = LoRALinear(child, rank, alpha)
                setattr(parent, name, wrapped[child])

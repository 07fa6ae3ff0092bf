# rejected by: nothing_as_large_as_the_weight: down is a matrix as large as W:
# the forward pass makes the sum of W and the correction, a tensor of the size of W
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
        for parameter in base.parameters():
            parameter.requires_grad = False
        self.down = nn.Parameter(base.weight.new_empty((rank, base.in_features)))
        self.up = nn.Parameter(base.weight.new_zeros((base.out_features, rank)))
        nn.init.kaiming_uniform_(self.down, a=5**0.5)
        self.factor = alpha / rank
        self.merged = False

    def forward(self, x: Tensor) -> Tensor:
        weight = self.base.weight
        if not self.merged:
            weight = weight + self.factor * (self.up @ self.down)
        return functional.linear(x, weight, self.base.bias)

    def _shift(self, sign: float) -> None:
        with torch.no_grad():
            self.base.weight.addmm_(self.up, self.down, alpha=sign * self.factor)

    def merge(self) -> None:
        """Put the correction into the base's weight."""
        if self.merged:
            return
        self._shift(1.0)
        self.merged = True

    def unmerge(self) -> None:
        """Take the correction out of the base's weight."""
        if not self.merged:
            return
        self._shift(-1.0)
        self.merged = False


def _walk(module: nn.Module, names: Collection[str], rank: int, alpha: float) -> None:
    for name, child in list(module._modules.items()):
        if child is None:
            continue
        if isinstance(child, nn.Linear):
            if name in names:
                module._modules[name] = LoRALinear(child, rank, alpha)
        else:
            _walk(child, names, rank, alpha)


def add_lora(model: nn.Module, names: Collection[str], rank: int, alpha: float) -> None:
    """Freeze the model and wrap each of its linear layers whose own name is in `names`."""
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    _walk(model, names, rank, alpha)

# earns: solved lean
# functional.linear on both factors, addmm_ for merging, replacement through full names
"""Fine-tune a frozen linear layer through two thin matrices beside it."""

from collections.abc import Collection

import torch
from torch import Tensor, nn
from torch.nn import functional


class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear, rank: int, alpha: float) -> None:
        super().__init__()
        for parameter in base.parameters():
            parameter.requires_grad = False
        self.base = base
        self.alpha, self.rank = alpha, rank
        self.down = nn.Parameter(base.weight.new_empty(rank, base.in_features).normal_(std=0.02))
        self.up = nn.Parameter(base.weight.new_zeros(base.out_features, rank))
        self.merged = False

    def forward(self, x: Tensor) -> Tensor:
        result = self.base(x)
        if not self.merged:
            thin = functional.linear(x, self.down) * (self.alpha / self.rank)
            result = result + functional.linear(thin, self.up)
        return result

    def _shift(self, sign: float) -> None:
        with torch.no_grad():
            self.base.weight.addmm_(self.up, self.down, alpha=sign * self.alpha / self.rank)

    def merge(self) -> None:
        if self.merged:
            return
        self._shift(1.0)
        self.merged = True

    def unmerge(self) -> None:
        if not self.merged:
            return
        self._shift(-1.0)
        self.merged = False


def add_lora(model: nn.Module, names: Collection[str], rank: int, alpha: float) -> None:
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    wrapped: dict[int, LoRALinear] = {}
    for full, module in list(model.named_modules(remove_duplicate=False)):
        parent, _, own = full.rpartition(".")
        if own and own in names and isinstance(module, nn.Linear):
            layer = wrapped.setdefault(id(module), LoRALinear(module, rank, alpha))
            setattr(model.get_submodule(parent), own, layer)

# earns: solved lean
# the other factor starts at zero: down = 0, up random; einsum, recursion over children
"""Fine-tune a frozen linear layer through two thin matrices beside it."""

from collections.abc import Collection

import torch
from torch import Tensor, nn
from torch.nn import functional


class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear, rank: int, alpha: float) -> None:
        super().__init__()
        self.base = base.requires_grad_(False)
        like = {"dtype": base.weight.dtype, "device": base.weight.device}
        self.down = nn.Parameter(torch.zeros(rank, base.in_features, **like))
        self.up = nn.Parameter(torch.empty(base.out_features, rank, **like).uniform_(-0.5, 0.5))
        self.factor = alpha / rank
        self.merged = False

    def forward(self, x: Tensor) -> Tensor:
        y = functional.linear(x, self.base.weight, self.base.bias)
        if self.merged:
            return y
        inner = torch.einsum("...i,ri->...r", x, self.down)
        return y + torch.einsum("...r,or->...o", self.factor * inner, self.up)

    def correction(self) -> Tensor:
        return torch.einsum("or,ri->oi", self.up.detach(), self.down.detach()) * self.factor

    def merge(self) -> None:
        if not self.merged:
            self.base.weight.data.add_(self.correction())
        self.merged = True

    def unmerge(self) -> None:
        if self.merged:
            self.base.weight.data.sub_(self.correction())
        self.merged = False


def _replace(module: nn.Module, names: Collection[str], rank: int, alpha: float) -> None:
    for name, child in list(module.named_children()):
        if isinstance(child, nn.Linear):
            if name in names:
                module.add_module(name, LoRALinear(child, rank, alpha))
        else:
            _replace(child, names, rank, alpha)


def add_lora(model: nn.Module, names: Collection[str], rank: int, alpha: float) -> None:
    model.requires_grad_(False)
    _replace(model, names, rank, alpha)

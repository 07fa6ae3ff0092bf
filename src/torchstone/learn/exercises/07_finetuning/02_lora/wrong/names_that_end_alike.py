# rejected by: model_is_wrapped: Go through every module's own children
# compares the end of the full name; with names ['query'] the layer blocks.0.subquery is wrapped too ('whose own
# name (the last part) is in names')
"""Fine-tune a frozen linear layer through two thin matrices beside it."""

import math
from collections.abc import Collection

import torch
from torch import Tensor, nn


class LoRALinear(nn.Module):
    """A frozen linear layer and a correction of low rank that learns."""

    def __init__(self, base: nn.Linear, rank: int, alpha: float) -> None:
        super().__init__()
        for parameter in base.parameters():
            parameter.requires_grad = False
        self.base = base
        kind = {"dtype": base.weight.dtype, "device": base.weight.device}
        self.down = nn.Parameter(torch.empty(rank, base.weight.shape[1], **kind))
        self.up = nn.Parameter(torch.zeros(base.weight.shape[0], rank, **kind))
        nn.init.kaiming_uniform_(self.down, a=math.sqrt(5))
        self.rank, self.alpha = rank, alpha
        self.merged = False

    def forward(self, x: Tensor) -> Tensor:
        result = self.base(x)
        if not self.merged:
            thin = x @ self.down.T
            result = result + (thin * (self.alpha / self.rank)) @ self.up.T
        return result

    def correction(self) -> Tensor:
        return self.up.detach() @ self.down.detach() * (self.alpha / self.rank)

    def merge(self) -> None:
        """Put the correction into the base's weight."""
        if self.merged:
            return
        self.base.weight.data += self.correction()
        self.merged = True

    def unmerge(self) -> None:
        """Take the correction out of the base's weight."""
        if not self.merged:
            return
        self.base.weight.data -= self.correction()
        self.merged = False


def add_lora(model: nn.Module, names: Collection[str], rank: int, alpha: float) -> None:
    """Freeze the model and wrap each of its linear layers whose own name is in `names`."""
    for parameter in model.parameters():
        parameter.requires_grad = False
    for path, module in dict(model.named_modules()).items():
        parent, _, name = path.rpartition(".")
        if type(module) is nn.Linear and path.endswith(tuple(names)):
            model.get_submodule(parent).add_module(name, LoRALinear(module, rank, alpha))

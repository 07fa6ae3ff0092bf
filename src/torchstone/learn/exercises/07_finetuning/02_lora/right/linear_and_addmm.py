# earns: solved lean
# chained functional.linear, addmm in place for merging, parents found by their path
"""Fine-tune a frozen linear layer through two thin matrices beside it."""

from collections.abc import Collection

import torch
from torch import Tensor, nn


class LoRALinear(nn.Module):
    """A frozen linear layer and a correction of low rank that learns."""

    def __init__(self, base: nn.Linear, rank: int, alpha: float) -> None:
        super().__init__()
        self.base = base.requires_grad_(False)
        like = {"dtype": base.weight.dtype, "device": base.weight.device}
        self.down = nn.Parameter(torch.randn(rank, base.in_features, **like) / base.in_features**0.5)
        self.up = nn.Parameter(torch.zeros(base.out_features, rank, **like))
        self.scale = alpha / rank
        self.merged = False

    def forward(self, x: Tensor) -> Tensor:
        result = self.base(x)
        if self.merged:
            return result
        return torch.add(result, nn.functional.linear(nn.functional.linear(x, self.down), self.up), alpha=self.scale)

    @torch.no_grad()
    def merge(self) -> None:
        """Put the correction into the base's weight."""
        if not self.merged:
            self.base.weight.addmm_(self.up, self.down, alpha=self.scale)
            self.merged = True

    @torch.no_grad()
    def unmerge(self) -> None:
        """Take the correction out of the base's weight."""
        if self.merged:
            self.base.weight.addmm_(self.up, self.down, alpha=-self.scale)
            self.merged = False


def add_lora(model: nn.Module, names: Collection[str], rank: int, alpha: float) -> None:
    """Freeze the model and wrap each of its linear layers whose own name is in `names`."""
    for parameter in model.parameters():
        parameter.requires_grad = False
    linear = [path for path, module in model.named_modules() if isinstance(module, nn.Linear)]
    for path in linear:
        parent, _, own = path.rpartition(".")
        if own in names:
            model.get_submodule(parent).register_module(own, LoRALinear(model.get_submodule(path), rank, alpha))

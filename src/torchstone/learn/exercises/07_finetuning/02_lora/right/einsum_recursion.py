# earns: solved lean
"""Fine-tune a frozen linear layer through two thin matrices beside it."""

from collections.abc import Collection

import torch
from torch import Tensor, nn


class LoRALinear(nn.Module):
    """A frozen linear layer and a correction of low rank that learns."""

    def __init__(self, base: nn.Linear, rank: int, alpha: float) -> None:
        super().__init__()
        self.base = base
        for parameter in base.parameters():
            parameter.requires_grad = False
        out, inputs = base.weight.shape
        like = {"dtype": base.weight.dtype, "device": base.weight.device}
        self.register_parameter(
            "down", nn.Parameter(nn.init.kaiming_uniform_(torch.empty(rank, inputs, **like), a=5**0.5))
        )
        self.register_parameter("up", nn.Parameter(torch.zeros(out, rank, **like)))
        self.factor = alpha / rank
        self.merged = False

    def forward(self, x: Tensor) -> Tensor:
        result = self.base(x)
        if not self.merged:
            thin = torch.einsum("...i,ri->...r", x, self.down) * self.factor
            result = result + torch.einsum("...r,or->...o", thin, self.up)
        return result

    def _shift(self, sign: int) -> None:
        self.base.weight.data.addmm_(self.up.data, self.down.data, alpha=sign * self.factor)
        self.merged = sign > 0

    def merge(self) -> None:
        """Put the correction into the base's weight."""
        if self.merged is False:
            self._shift(+1)

    def unmerge(self) -> None:
        """Take the correction out of the base's weight."""
        if self.merged is True:
            self._shift(-1)


def _wrap(module: nn.Module, names: Collection[str], rank: int, alpha: float) -> None:
    for name in [*module._modules]:
        child = module._modules[name]
        if isinstance(child, nn.Linear) and name in names:
            module._modules[name] = LoRALinear(child, rank, alpha)
        elif child is not None:
            _wrap(child, names, rank, alpha)


def add_lora(model: nn.Module, names: Collection[str], rank: int, alpha: float) -> None:
    """Freeze the model and wrap each of its linear layers whose own name is in `names`."""
    for parameter in model.parameters():
        parameter.requires_grad = False
    _wrap(model, names, rank, alpha)

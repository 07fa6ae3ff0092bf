"""Fine-tune a frozen linear layer through two thin matrices beside it."""

from collections.abc import Collection

import torch
from torch import Tensor, nn


class LoRALinear(nn.Module):
    """A frozen linear layer and a correction of low rank that learns."""

    def __init__(self, base: nn.Linear, rank: int, alpha: float) -> None:
        super().__init__()
        self.base = base
        # TODO: freeze the base; make the parameters `down` (rank, in) and `up` (out, rank)
        self.merged = False

    def forward(self, x: Tensor) -> Tensor:
        # TODO: add the correction, unless it is in the weight already
        return self.base(x)

    def merge(self) -> None:
        """Put the correction into the base's weight."""
        # TODO

    def unmerge(self) -> None:
        """Take the correction out of the base's weight."""
        # TODO


def add_lora(model: nn.Module, names: Collection[str], rank: int, alpha: float) -> None:
    """Freeze the model and wrap each of its linear layers whose own name is in `names`."""
    # TODO

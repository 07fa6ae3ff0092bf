# earns: solved lean
# each leaf's forward is wrapped, with a FLOP counter of its own for each call
"""Shapes, parameters and FLOPs of a network that is never really there."""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode


class Row(NamedTuple):
    """One call of a leaf module."""

    name: str
    shape: tuple[int, ...]
    parameters: int
    flops: int


class Watch:
    """Stands in for the forward of a leaf and writes a row for each call."""

    def __init__(self, name: str, module: nn.Module, rows: list[Row], counted: set[Tensor]) -> None:
        self.name, self.module, self.rows, self.counted = name, module, rows, counted
        self.forward = module.forward

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with FlopCounterMode(display=False) as counter:
            output = self.forward(*args, **kwargs)
        own = set(self.module.parameters()) - self.counted
        self.counted |= own
        size = sum(map(Tensor.numel, own))
        self.rows.append(Row(self.name, tuple(output.shape), size, counter.get_total_flops()))
        return output


def xray(build: Callable[[], nn.Module], *shape: int) -> list[Row]:
    """A row for each call of a leaf module, when what `build` returns is run on an input of that shape."""
    rows: list[Row] = []
    counted: set[Tensor] = set()
    with torch.device("meta"), torch.no_grad():
        net = build().eval()
        leaves = [(name, module) for name, module in net.named_modules() if not list(module.children())]
        for name, module in leaves:
            module.forward = Watch(name, module, rows, counted)
        net(torch.empty(*shape))
    return rows

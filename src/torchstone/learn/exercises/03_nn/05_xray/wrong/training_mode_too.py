# rejected by: evaluation_mode: In evaluation mode
# "runs it in evaluation mode": the net runs in training mode
"""Shapes, parameters and FLOPs of a network that is never really there."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode


class Row(NamedTuple):
    """One call of a leaf module."""

    name: str
    shape: tuple[int, ...]
    parameters: int
    flops: int


def xray(build: Callable[[], nn.Module], *shape: int) -> list[Row]:
    """A row for each call of a leaf module, when what `build` returns is run on an input of that shape."""
    rows: list[Row] = []
    counted: set[int] = set()
    starts: list[int] = []
    counter = FlopCounterMode(display=False)

    def before(module: nn.Module, inputs: tuple) -> None:
        starts.append(counter.get_total_flops())

    def after(module: nn.Module, inputs: tuple, output: Tensor) -> None:
        flops = counter.get_total_flops() - starts.pop()
        fresh = [one for one in module.parameters() if id(one) not in counted]
        counted.update(id(one) for one in fresh)
        rows.append(Row(names[module], tuple(output.shape), sum(one.numel() for one in fresh), flops))

    with torch.device("meta"), torch.no_grad():
        net = build()
        names = {module: name for name, module in net.named_modules()}
        for module in names:
            if not list(module.children()):
                module.register_forward_pre_hook(before)
                module.register_forward_hook(after)
        with counter:
            net(torch.empty(shape, dtype=torch.float32))
    return rows

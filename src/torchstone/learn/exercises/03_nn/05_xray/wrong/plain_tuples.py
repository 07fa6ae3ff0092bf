# rejected by: rows_are_rows: Each entry is a Row
# "returns a list of `Row`s": plain tuples
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
    before: list[int] = []
    # Everything that is made inside, by `build` and by the modules themselves, is made without memory.
    with torch.device("meta"), torch.no_grad(), FlopCounterMode(display=False) as counter:
        net = build().eval()

        def enter(module: nn.Module, args: tuple[Tensor, ...]) -> None:
            before.append(counter.get_total_flops())

        def leave(name: str, module: nn.Module, output: Tensor) -> None:
            own = [one for one in module.parameters() if id(one) not in counted]
            counted.update(map(id, own))
            flops = counter.get_total_flops() - before.pop()
            rows.append((name, tuple(output.shape), sum(one.numel() for one in own), flops))

        for name, module in net.named_modules():
            if next(module.children(), None) is None:
                module.register_forward_pre_hook(enter)
                module.register_forward_hook(lambda module, args, output, name=name: leave(name, module, output))
        net(torch.empty(shape))
    return rows

# earns: solved lean
# pre-hooks and hooks around one flop counter
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
    seen: set[int] = set()
    starts: list[int] = []
    counter = FlopCounterMode(display=False)

    def own(module: nn.Module) -> int:
        total = 0
        for parameter in module.parameters(recurse=False):
            if id(parameter) not in seen:
                seen.add(id(parameter))
                total += parameter.numel()
        return total

    def watch(name: str, module: nn.Module) -> None:
        def before(*_) -> None:
            starts.append(counter.get_total_flops())

        def after(module: nn.Module, _inputs, output: Tensor) -> None:
            flops = counter.get_total_flops() - starts.pop()
            rows.append(Row(name, tuple(output.shape), own(module), flops))

        module.register_forward_pre_hook(before)
        module.register_forward_hook(after)

    with torch.device("meta"), torch.no_grad():
        net = build().eval()
        for name, module in net.named_modules():
            if next(module.children(), None) is None:
                watch(name, module)
        with counter:
            net(torch.empty(shape))
    return rows

# earns: solved lean
# hooks for all modules at once, taken off again afterwards
"""Shapes, parameters and FLOPs of a network that is never really there."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.utils.flop_counter import FlopCounterMode


class Row(NamedTuple):
    """One call of a leaf module."""

    name: str
    shape: tuple[int, ...]
    parameters: int
    flops: int


class _Observer:
    def __init__(self, net: nn.Module) -> None:
        self.names = {m: name for name, m in net.named_modules() if not any(True for _ in m.children())}
        self.counter = FlopCounterMode(display=False)
        self.rows: list[Row] = []
        self.counted: dict[int, nn.Parameter] = {}
        self.before = 0

    def enter(self, module: nn.Module, args: tuple) -> None:
        if module in self.names:
            self.before = self.counter.get_total_flops()

    def leave(self, module: nn.Module, args: tuple, output: Tensor) -> None:
        if module not in self.names:
            return
        total = 0
        for weight in module.parameters():
            if id(weight) not in self.counted:
                self.counted[id(weight)] = weight
                total += weight.numel()
        flops = self.counter.get_total_flops() - self.before
        self.rows.append(Row(self.names[module], tuple(output.size()), total, flops))


def xray(build: Callable[[], nn.Module], *shape: int) -> list[Row]:
    """A row for each call of a leaf module, when what `build` returns is run on an input of that shape."""
    with torch.device("meta"):
        net = build()
        net.train(False)
        observer = _Observer(net)
        handles = [register_module_forward_pre_hook(observer.enter), register_module_forward_hook(observer.leave)]
        try:
            with torch.no_grad(), observer.counter:
                net(torch.zeros(shape, dtype=torch.float32))
        finally:
            for handle in handles:
                handle.remove()
    return observer.rows

# rejected by: built_once: A module under two names is one module
# a module that is there under two names gets the last one; 'the first, where a module has two' (self.a = self.b =
# nn.Linear(2, 2))
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
    rows, counted, before = [], set(), []
    counter = FlopCounterMode(display=False)

    def start(module: nn.Module, args: tuple) -> None:
        before.append(counter.get_total_flops())

    def end(name: str, module: nn.Module, output: Tensor) -> None:
        own = [one for one in module.parameters() if one not in counted]
        counted.update(own)
        flops = counter.get_total_flops() - before.pop()
        rows.append(Row(name, tuple(output.shape), sum(one.numel() for one in own), flops))

    with torch.device("meta"):
        net = build()
        net.eval()
        names = {module: name for name, module in net.named_modules(remove_duplicate=False)}
        for module, name in names.items():
            if not list(module.children()):
                module.register_forward_pre_hook(start)
                module.register_forward_hook(lambda module, args, output, name=name: end(name, module, output))
        x = torch.empty(shape, dtype=torch.float32)
        with counter, torch.no_grad():
            net(x)
    return rows

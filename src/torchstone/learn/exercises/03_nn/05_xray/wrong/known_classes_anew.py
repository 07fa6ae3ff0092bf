# rejected by: home_made_modules: Matrix products count whatever the module's class
# flops by a formula for Linear and Conv2d alone; 'inside the call, whatever the module's class' (a home-made leaf
# with a matrix product, a Conv1d, a transposed convolution)
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
        flops = 0
        if isinstance(module, nn.Linear):
            flops = 2 * output.numel() * module.in_features
        elif isinstance(module, nn.Conv2d):
            kernel = module.kernel_size[0] * module.kernel_size[1]
            flops = 2 * output.numel() * module.in_channels // module.groups * kernel
        rows.append(Row(name, tuple(output.shape), sum(one.numel() for one in own), flops))

    with torch.device("meta"):
        net = build()
        net.eval()
        for name, module in net.named_modules():
            if not list(module.children()):
                module.register_forward_pre_hook(start)
                module.register_forward_hook(lambda module, args, output, name=name: end(name, module, output))
        x = torch.empty(shape, dtype=torch.float32)
        with counter, torch.no_grad():
            net(x)
    return rows

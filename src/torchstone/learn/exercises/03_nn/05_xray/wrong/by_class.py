# rejected by: home_made_modules: whatever the module
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
    with torch.device("meta"), torch.no_grad():
        net = build().eval()

        def leave(name: str, module: nn.Module, x: Tensor, output: Tensor) -> None:
            own = [one for one in module.parameters() if id(one) not in counted]
            counted.update(map(id, own))
            flops = 0
            if isinstance(module, nn.Linear):
                flops = 2 * x.numel() * module.out_features
            if isinstance(module, nn.Conv2d):
                flops = 2 * output.numel() * module.weight[0].numel()
            rows.append(Row(name, tuple(output.shape), sum(one.numel() for one in own), flops))

        for name, module in net.named_modules():
            if next(module.children(), None) is None:
                module.register_forward_hook(lambda module, args, out, name=name: leave(name, module, args[0], out))
        net(torch.empty(shape))
    return rows

# rejected by: home_made_modules: Matrix products count whatever the module's class
# "whatever the module's class": FLOPs by a formula for nn.Linear and nn.Conv2d only
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
    marks: list[int] = []
    with torch.device("meta"):
        net = build().to("meta").eval()
        image = torch.empty(shape)
        counter = FlopCounterMode(display=False)

        def enter(module: nn.Module, inputs: tuple) -> None:
            marks.append(counter.get_total_flops())

        def leave(name: str) -> Callable[..., None]:
            def hook(module: nn.Module, inputs: tuple, output: Tensor) -> None:
                fresh = {id(p): p.numel() for p in module.parameters() if id(p) not in counted}
                counted.update(fresh)
                flops = 0
                if isinstance(module, nn.Linear):
                    flops = 2 * output.numel() * module.in_features
                elif isinstance(module, nn.Conv2d):
                    flops = 2 * output.numel() * module.weight[0].numel()
                rows.append(Row(name, tuple(output.shape), sum(fresh.values()), flops))

            return hook

        for name, module in net.named_modules():
            if next(module.children(), None) is None:
                module.register_forward_pre_hook(enter)
                module.register_forward_hook(leave(name))
        with torch.no_grad(), counter:
            net(image)
    return rows

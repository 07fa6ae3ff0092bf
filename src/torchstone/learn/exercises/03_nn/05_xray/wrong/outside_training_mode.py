# rejected by: evaluation_mode: In evaluation mode
# "runs it in evaluation mode": the net stays in the mode it was built in
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
        net = build().to("meta")
        image = torch.empty(shape)
        counter = FlopCounterMode(display=False)

        def enter(module: nn.Module, inputs: tuple) -> None:
            marks.append(counter.get_total_flops())

        def leave(name: str) -> Callable[..., None]:
            def hook(module: nn.Module, inputs: tuple, output: Tensor) -> None:
                fresh = {id(p): p.numel() for p in module.parameters() if id(p) not in counted}
                counted.update(fresh)
                rows.append(
                    Row(name, tuple(output.shape), sum(fresh.values()), counter.get_total_flops() - marks.pop())
                )

            return hook

        for name, module in net.named_modules():
            if next(module.children(), None) is None:
                module.register_forward_pre_hook(enter)
                module.register_forward_hook(leave(name))
        with torch.no_grad(), counter:
            net(image)
    return rows

# rejected by: evaluation_mode: In evaluation mode
# "runs it in evaluation mode on one input of that shape": the net runs in the mode in which it was built
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


def xray(build: Callable[[], nn.Module], *shape: int) -> list[Row]:
    """A row for each call of a leaf module, when what `build` returns is run on an input of that shape."""
    rows: list[Row] = []
    seen: set[int] = set()
    with torch.device("meta"):
        net = build()
    counter = FlopCounterMode(display=False)
    before = 0

    def start(module: nn.Module, inputs: Any) -> None:
        nonlocal before
        before = counter.get_total_flops()

    def finish(name: str, module: nn.Module, output: Tensor) -> None:
        fresh = [one for one in module.parameters() if id(one) not in seen]
        seen.update(id(one) for one in fresh)
        numbers = sum(one.numel() for one in fresh)
        rows.append(Row(name, tuple(output.shape), numbers, counter.get_total_flops() - before))

    for name, module in net.named_modules():
        if not list(module.children()):
            module.register_forward_pre_hook(start)
            module.register_forward_hook(lambda module, _, output, name=name: finish(name, module, output))
    with torch.device("meta"), torch.no_grad(), counter:
        net(torch.empty(shape))
    return rows

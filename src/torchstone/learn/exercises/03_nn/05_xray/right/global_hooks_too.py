# earns: solved lean
# hooks for all modules, taken away again, on leaves that were listed before
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


def xray(build: Callable[[], nn.Module], *shape: int) -> list[Row]:
    """A row for each call of a leaf module, when what `build` returns is run on an input of that shape."""
    calls: list[list] = []
    marks: list[int] = []
    with torch.device("meta"), torch.no_grad(), FlopCounterMode(display=False) as counter:
        net = build().train(False)
        leaves = {id(module): name for name, module in net.named_modules() if len(list(module.children())) == 0}

        def enter(module: nn.Module, _inputs: tuple) -> None:
            if id(module) in leaves:
                marks.append(counter.get_total_flops())

        def leave(module: nn.Module, _inputs: tuple, output: Tensor) -> None:
            if id(module) in leaves:
                calls.append([module, tuple(output.shape), counter.get_total_flops() - marks.pop()])

        handles = [register_module_forward_pre_hook(enter), register_module_forward_hook(leave)]
        try:
            net(torch.empty(*shape, dtype=torch.float32))
        finally:
            for handle in handles:
                handle.remove()
    rows, known = [], set()
    for module, size, flops in calls:
        own = set(module.parameters()) - known
        known |= own
        rows.append(Row(leaves[id(module)], size, sum(map(torch.numel, own)), flops))
    return rows

# earns: solved lean
# each call of a leaf has a counter of its own, opened and closed by hooks
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
    open_counters: list[FlopCounterMode] = []
    seen: dict[nn.Parameter, bool] = {}

    def watch(name: str, leaf: nn.Module) -> None:
        def enter(*_: object) -> None:
            open_counters.append(FlopCounterMode(display=False).__enter__())

        def leave(_module: nn.Module, _inputs: tuple, output: Tensor) -> None:
            counter = open_counters.pop()
            counter.__exit__(None, None, None)
            total = 0
            for weight in leaf.parameters(recurse=False):
                if weight not in seen:
                    total += weight.numel()
                    seen[weight] = True
            rows.append(Row(name, tuple(output.size()), total, counter.get_total_flops()))

        leaf.register_forward_pre_hook(enter)
        leaf.register_forward_hook(leave)

    with torch.device("meta"):
        net = build().eval()
        for name, module in net.named_modules():
            if next(module.children(), None) is None:
                watch(name, module)
        with torch.inference_mode():
            net(torch.zeros(*shape, dtype=torch.float32))
    return rows

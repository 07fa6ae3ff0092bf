# rejected by: rows_are_right: Parameters count, frozen ones too; buffers are no parameters.
# parameters that require no gradient are left out; 'how many numbers are in its own parameters'
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
    with torch.device("meta"):
        net = build()
    net.eval()
    x = torch.empty(shape, device="meta")
    rows: list[Row] = []
    counted: set[int] = set()
    begun: list[int] = []
    counter = FlopCounterMode(display=False)

    def watch(name: str, module: nn.Module) -> None:
        def before(module: nn.Module, inputs: tuple) -> None:
            begun.append(counter.get_total_flops())

        def after(module: nn.Module, inputs: tuple, output: Tensor) -> None:
            new = [one for one in module.parameters() if one.requires_grad and id(one) not in counted]
            counted.update(map(id, new))
            flops = counter.get_total_flops() - begun.pop()
            rows.append(Row(name, tuple(output.shape), sum(one.numel() for one in new), flops))

        module.register_forward_pre_hook(before)
        module.register_forward_hook(after)

    for name, module in net.named_modules():
        if not any(True for _ in module.children()):
            watch(name, module)
    with torch.device("meta"), torch.no_grad(), counter:
        net(x)
    return rows

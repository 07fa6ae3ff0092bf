# earns: solved lean
# no hooks: each leaf's forward is wrapped, with a counter of its own for each call
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
    counted: dict[int, nn.Parameter] = {}

    def watch(name: str, leaf: nn.Module) -> None:
        inner = leaf.forward

        def forward(*args: Any, **kwargs: Any) -> Any:
            with FlopCounterMode(display=False) as counter:
                output: Tensor = inner(*args, **kwargs)
            fresh = {id(one): one for one in leaf.parameters() if id(one) not in counted}
            counted.update(fresh)
            numbers = sum(one.numel() for one in fresh.values())
            rows.append(Row(name, tuple(output.shape), numbers, counter.get_total_flops()))
            return output

        leaf.forward = forward

    with torch.device("meta"), torch.no_grad():
        net = build().eval()
        for name, module in net.named_modules():
            if next(module.children(), None) is None:
                watch(name, module)
        net(torch.zeros(*shape))
    return rows

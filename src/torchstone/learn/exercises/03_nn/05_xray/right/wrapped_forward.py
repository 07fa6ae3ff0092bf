# earns: solved lean
# each leaf's forward is replaced by one with a FLOP counter of its own
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
    known: set[int] = set()

    def watch(name: str, module: nn.Module) -> None:
        forward = module.forward

        def watched(*args, **kwargs) -> Tensor:
            with FlopCounterMode(display=False) as counter:
                output = forward(*args, **kwargs)
            fresh = {id(one): one.numel() for one in module.parameters() if id(one) not in known}
            known.update(fresh)
            rows.append(Row(name, tuple(output.shape), sum(fresh.values()), counter.get_total_flops()))
            return output

        module.forward = watched

    with torch.device("meta"), torch.no_grad():
        net = build().eval()
        for name, module in net.named_modules():
            if next(module.children(), None) is None:
                watch(name, module)
        net(torch.empty(*shape, dtype=torch.float32, device="meta"))
    return rows

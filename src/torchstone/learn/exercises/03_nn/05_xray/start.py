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
    net = build()
    rows = []
    for name, module in net.named_modules():
        parameters = sum(one.numel() for one in module.parameters())
        # TODO: only leaves, the shape of each call's output, the FLOPs, and all of it without memory
        rows.append(Row(name, (), parameters, 0))
    return rows

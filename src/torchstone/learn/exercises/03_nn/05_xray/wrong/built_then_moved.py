# rejected by: rows_are_right: Tied weights are one parameter
# "all without any memory for numbers": build() makes real weights, which are moved to meta afterwards
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

    net = build().eval().to("meta")
    x = torch.empty(shape, device="meta")
    rows: list[Row] = []
    counted: set[int] = set()
    counter = FlopCounterMode(display=False)
    before = [0]

    def start(module: nn.Module, args: tuple) -> None:
        before[0] = counter.get_total_flops()

    def end(name: str) -> Callable:
        def hook(module: nn.Module, args: tuple, output: Tensor) -> None:
            new = [one for one in module.parameters() if id(one) not in counted]
            counted.update(map(id, new))
            flops = counter.get_total_flops() - before[0]
            rows.append(Row(name, tuple(output.shape), sum(one.numel() for one in new), flops))

        return hook

    for name, module in net.named_modules():
        if not list(module.children()):
            module.register_forward_pre_hook(start)
            module.register_forward_hook(end(name))
    with torch.no_grad(), counter:
        net(x)
    return rows

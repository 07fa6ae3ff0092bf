# rejected by: rows_are_right: what an earlier row has counted is not
# a module that is called twice has one row
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode


class Row(NamedTuple):
    name: str
    shape: tuple[int, ...]
    parameters: int
    flops: int


def xray(build: Callable[[], nn.Module], *shape: int) -> list[Row]:
    with torch.device("meta"):
        net = build()
    net.eval()
    names = {module: name for name, module in net.named_modules()}
    leaves = [module for module in net.modules() if not list(module.children())]
    rows: list[Row] = []
    counted: set[int] = set()
    counter = FlopCounterMode(display=False)
    before: list[int] = []

    def enter(module: nn.Module, inputs: tuple) -> None:
        before.append(counter.get_total_flops())

    def leave(module: nn.Module, inputs: tuple, output: Tensor) -> None:
        if any(row.name == names[module] for row in rows):
            before.pop()
            return
        flops = counter.get_total_flops() - before.pop()
        own = [one for one in module.parameters() if id(one) not in counted]
        counted.update(id(one) for one in own)
        rows.append(Row(names[module], tuple(output.shape), sum(one.numel() for one in own), flops))

    for leaf in leaves:
        leaf.register_forward_pre_hook(enter)
        leaf.register_forward_hook(leave)
    with torch.device("meta"), counter:
        net(torch.empty(shape, dtype=torch.float32))
    return rows

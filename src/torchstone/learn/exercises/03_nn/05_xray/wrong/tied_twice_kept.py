# rejected by: rows_are_right: Tied weights are one parameter: it is not
# tied weights of two modules are counted twice: only a module that is called again counts 0
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
        flops = counter.get_total_flops() - before.pop()
        own = [] if id(module) in counted else list(module.parameters())
        counted.add(id(module))
        rows.append(Row(names[module], tuple(output.shape), sum(one.numel() for one in own), flops))

    for leaf in leaves:
        leaf.register_forward_pre_hook(enter)
        leaf.register_forward_hook(leave)
    with torch.device("meta"), counter:
        net(torch.empty(shape, dtype=torch.float32))
    return rows

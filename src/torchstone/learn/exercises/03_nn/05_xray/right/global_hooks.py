# earns: solved lean
# one global pair of module hooks, removed at the end, and names by identity
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook


class Row(NamedTuple):
    """One call of a leaf module."""

    name: str
    shape: tuple[int, ...]
    parameters: int
    flops: int


class Watch:
    """Writes a row when a leaf has run."""

    def __init__(self, net: nn.Module) -> None:
        self.names = {module: name for name, module in net.named_modules() if not any(module.children())}
        self.rows: list[Row] = []
        self.counted: set[nn.Parameter] = set()
        self.counter = FlopCounterMode(display=False)
        self.start = 0

    def before(self, module: nn.Module, args: tuple) -> None:
        if module in self.names:
            self.start = self.counter.get_total_flops()

    def after(self, module: nn.Module, args: tuple, output: Tensor) -> None:
        if module in self.names:
            mine = set(module.parameters()) - self.counted
            self.counted |= mine
            flops = self.counter.get_total_flops() - self.start
            size = sum(parameter.numel() for parameter in mine)
            self.rows.append(Row(self.names[module], tuple(output.shape), size, flops))


def xray(build: Callable[[], nn.Module], *shape: int) -> list[Row]:
    """A row for each call of a leaf module, when what `build` returns is run on an input of that shape."""

    meta = torch.device("meta")
    with meta:
        net = build().eval()
    watch = Watch(net)
    handles = [register_module_forward_pre_hook(watch.before), register_module_forward_hook(watch.after)]
    try:
        with meta, torch.no_grad(), watch.counter:
            net(torch.empty(shape, device=meta))
    finally:
        for handle in handles:
            handle.remove()
    return watch.rows

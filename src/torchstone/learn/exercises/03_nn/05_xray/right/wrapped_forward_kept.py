# earns: solved lean
# each leaf's forward is wrapped, with a counter of its own for each call
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


class Watch:
    """Stands in for the forward of one leaf."""

    def __init__(self, name: str, module: nn.Module, log: list) -> None:
        self.name, self.module, self.log, self.forward = name, module, log, module.forward

    def __call__(self, *args, **options) -> Tensor:
        with FlopCounterMode(display=False) as counter:
            output = self.forward(*args, **options)
        self.log.append((self.name, self.module, tuple(output.shape), counter.get_total_flops()))
        return output


def xray(build: Callable[[], nn.Module], *shape: int) -> list[Row]:
    log: list = []
    with torch.device("meta"):
        net = build().eval()
        for name, module in net.named_modules():
            if not len(list(module.children())):
                module.forward = Watch(name, module, log)
        net(torch.empty(shape, dtype=torch.float32))
    seen: list[Tensor] = []
    rows = []
    for name, module, size, flops in log:
        fresh = [one for one in module.parameters() if not any(one is other for other in seen)]
        seen += fresh
        rows.append(Row(name, size, sum(one.numel() for one in fresh), flops))
    return rows

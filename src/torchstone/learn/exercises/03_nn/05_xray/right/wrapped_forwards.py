# earns: solved
# each leaf's forward is wrapped, with a counter of its own for each call
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
        image = torch.empty(*shape)
    net.train(False)
    rows: list[Row] = []
    seen: list[nn.Parameter] = []

    def wrap(name: str, module: nn.Module) -> None:
        inner = module.forward

        def forward(*args, **kwargs):
            with FlopCounterMode(display=False) as counter:
                output = inner(*args, **kwargs)
            count = 0
            for parameter in module.parameters():
                if not any(parameter is one for one in seen):
                    seen.append(parameter)
                    count += parameter.numel()
            rows.append(Row(name, tuple(output.shape), count, counter.get_total_flops()))
            return output

        module.forward = forward

    for name, module in net.named_modules():
        if next(module.children(), None) is None:
            wrap(name, module)
    with torch.inference_mode(False), torch.no_grad():
        net(image)
    return rows

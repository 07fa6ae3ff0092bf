# earns: solved lean
# hooks for all modules at once, the difference of the total
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
    from torch.nn.modules import module as every

    with torch.device("meta"), torch.no_grad(), FlopCounterMode(display=False) as counter:
        net = build().train(False)
        x = torch.zeros(*shape, dtype=torch.float32) if shape else torch.zeros((), dtype=torch.float32)
        leaves = {id(one): name for name, one in net.named_modules() if next(one.children(), None) is None}
        marks, seen, rows = {}, set(), []

        def enter(module, inputs):
            marks[id(module)] = counter.get_total_flops()

        def leave(module, inputs, output):
            if id(module) in leaves:
                fresh = {id(one): one.numel() for one in module.parameters(recurse=False) if id(one) not in seen}
                seen.update(fresh)
                flops = counter.get_total_flops() - marks[id(module)]
                rows.append(Row(leaves[id(module)], tuple(output.size()), sum(fresh.values()), flops))

        handles = [every.register_module_forward_pre_hook(enter), every.register_module_forward_hook(leave)]
        try:
            net(x)
        finally:
            for handle in handles:
                handle.remove()
    return rows

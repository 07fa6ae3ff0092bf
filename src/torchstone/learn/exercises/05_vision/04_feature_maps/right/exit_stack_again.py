# earns: solved
# an ExitStack that removes the hooks, aminmax, pad and cat
"""What each layer of a network sees: forward hooks that are gone afterwards."""

from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional


def _record(maps: dict[str, Tensor], name: str, module: nn.Module, inputs: Any, output: Tensor) -> None:
    maps[name] = torch.empty_like(output, requires_grad=False).copy_(output.detach())


def feature_maps(net: nn.Module, names: Sequence[str], images: Tensor) -> dict[str, Tensor]:
    """The outputs of the submodules `names` for these images."""
    known = dict(net.named_modules())
    chosen = {name: known[name] for name in names}
    maps: dict[str, Tensor] = {}
    with torch.no_grad(), ExitStack() as stack:
        for name, module in chosen.items():
            stack.callback(module.register_forward_hook(partial(_record, maps, name)).remove)
        net(images)
    return {name: maps[name] for name in chosen}


def mosaic(maps: Tensor, columns: int) -> Tensor:
    """(count, height, width) → one picture of all maps, `columns` side by side, each stretched to 0 … 1."""
    count, height, width = maps.shape
    low, high = torch.aminmax(maps.reshape(count, -1), dim=1, keepdim=True)
    flat = maps.reshape(count, -1)
    stretched = torch.where(high > low, (flat - low) / (high - low), 0.0)
    padded = functional.pad(stretched, (0, 0, 0, -count % columns)).reshape(-1, height, width)
    strips = [torch.cat(list(strip), dim=1) for strip in padded.split(columns)]
    return torch.cat(strips)

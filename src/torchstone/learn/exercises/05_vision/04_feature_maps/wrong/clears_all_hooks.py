# rejected by: hooks_are_removed: Remove the hooks that you made
# "the net has as many hooks as before": clears the caller's own hooks as well
"""What each layer of a network sees: forward hooks that are gone afterwards."""

from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial

import torch
from torch import Tensor, nn


def _note(maps: dict[str, Tensor], name: str, module: nn.Module, inputs: tuple, output: Tensor) -> None:
    maps[name] = output.detach().clone()


def feature_maps(net: nn.Module, names: Sequence[str], images: Tensor) -> dict[str, Tensor]:
    """The outputs of the submodules `names` for these images."""
    known = dict(net.named_modules())
    for name in names:
        if name not in known:
            raise KeyError(f"the net has no submodule {name!r}")
    maps: dict[str, Tensor] = {}
    try:
        for name in names:
            known[name].register_forward_hook(partial(_note, maps, name))
        with torch.no_grad():
            net(images)
    finally:
        for name in names:
            known[name]._forward_hooks.clear()
    return {name: maps[name] for name in names}


def mosaic(maps: Tensor, columns: int) -> Tensor:
    """(count, height, width) → one picture of all maps, `columns` side by side, each stretched to 0 … 1."""
    count, height, width = maps.shape
    rows = -(-count // columns)
    low = maps.amin((1, 2), keepdim=True)
    span = maps.amax((1, 2), keepdim=True) - low
    stretched = torch.where(span > 0, (maps - low) / torch.where(span > 0, span, 1), 0)
    cells = torch.cat([stretched, stretched.new_zeros(rows * columns - count, height, width)])
    return cells.view(rows, columns, height, width).permute(0, 2, 1, 3).reshape(rows * height, columns * width)

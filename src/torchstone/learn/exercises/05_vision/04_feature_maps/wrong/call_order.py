# rejected by: maps_are_right: the maps come in the order
# "in the order of `names`": the order is that of the forward pass
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
    known = dict(net.named_modules(remove_duplicate=False))
    for name in names:
        if name not in known:
            raise KeyError(f"the net has no submodule {name!r}")
    maps: dict[str, Tensor] = {}
    with ExitStack() as stack:
        for name in names:
            stack.callback(known[name].register_forward_hook(partial(_note, maps, name)).remove)
        stack.enter_context(torch.no_grad())
        net(images)
    return maps


def mosaic(maps: Tensor, columns: int) -> Tensor:
    """(count, height, width) → one picture of all maps, `columns` side by side, each stretched to 0 … 1."""
    count, height, width = maps.shape
    rows = -(-count // columns)
    low = maps.amin((1, 2), keepdim=True)
    span = maps.amax((1, 2), keepdim=True) - low
    stretched = torch.where(span > 0, (maps - low) / torch.where(span > 0, span, 1), 0)
    cells = torch.cat([stretched, stretched.new_zeros(rows * columns - count, height, width)])
    return cells.view(rows, columns, height, width).permute(0, 2, 1, 3).reshape(rows * height, columns * width)

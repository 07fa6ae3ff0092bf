# rejected by: maps_are_right: the maps come in the order
# the dict has the order in which the layers ran; breaks 'in the order of names' with names ['late', 'early']
"""What each layer of a network sees: forward hooks that are gone afterwards."""

from collections.abc import Sequence
from functools import partial

import torch
from torch import Tensor, nn


def _store(into: dict[str, Tensor], name: str, module: nn.Module, inputs: tuple, output: Tensor) -> None:
    with torch.no_grad():
        into[name] = torch.empty_like(output).copy_(output)


def feature_maps(net: nn.Module, names: Sequence[str], images: Tensor) -> dict[str, Tensor]:
    """The outputs of the submodules `names` for these images."""
    maps: dict[str, Tensor] = {}
    handles = []
    modules = dict(net.named_modules())
    try:
        for name in set(names):
            handles.append(modules[name].register_forward_hook(partial(_store, maps, name)))
        net(images)
    finally:
        for handle in handles:
            handle.remove()
    return maps


def mosaic(maps: Tensor, columns: int) -> Tensor:
    """(count, height, width) → one picture of all maps, `columns` side by side, each stretched to 0 … 1."""
    low = maps.amin((1, 2), keepdim=True)
    spread = maps.amax((1, 2), keepdim=True) - low
    flat = spread == 0
    cells = ((maps - low) / spread.masked_fill(flat, 1)).masked_fill(flat, 0)
    missing = -len(maps) % columns
    cells = torch.cat([cells, cells.new_zeros(missing, *cells.shape[1:])])
    grid = cells.unflatten(0, (-1, columns))  # (rows, columns, height, width)
    return grid.permute(0, 2, 1, 3).flatten(2).flatten(0, 1)

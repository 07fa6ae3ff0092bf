# rejected by: maps_are_right: the maps come in the order
# the maps come in the order in which the layers ran; 'in the order of `names`'
"""What each layer of a network sees: forward hooks that are gone afterwards."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def feature_maps(net: nn.Module, names: Sequence[str], images: Tensor) -> dict[str, Tensor]:
    """The outputs of the submodules `names` for these images."""
    maps: dict[str, Tensor] = {}
    modules = dict(net.named_modules())
    for name in names:
        if name not in modules:
            raise KeyError(f"the net has no submodule {name}")
    handles = []
    try:
        for name in names:

            def keep(module, inputs, output, name=name):
                maps[name] = output.detach().clone()

            handles.append(modules[name].register_forward_hook(keep))
        with torch.no_grad():
            net(images)
    finally:
        for handle in handles:
            handle.remove()
    return maps


def mosaic(maps: Tensor, columns: int) -> Tensor:
    """(count, height, width) → one picture of all maps, `columns` side by side, each stretched to 0 … 1."""
    count, height, width = maps.shape
    low, high = maps.amin((1, 2), keepdim=True), maps.amax((1, 2), keepdim=True)
    size = high - low
    maps = (maps - low) / torch.where(size == 0, torch.ones_like(size), size)
    rows = -(-count // columns)
    cells = maps.new_zeros(rows * columns, height, width)
    cells[:count] = maps
    return cells.reshape(rows, columns, height, width).transpose(1, 2).reshape(rows * height, columns * width)

# rejected by: mosaics_are_right: Stretched all together
# "Each map is stretched by itself to 0 … 1": one stretch for all maps
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
            raise KeyError(f"no module {name!r}")
    handles = []
    try:
        for name in names:

            def keep(module: nn.Module, inputs: object, output: Tensor, name: str = name) -> None:
                maps[name] = output.detach().clone()

            handles.append(modules[name].register_forward_hook(keep))
        net(images)
    finally:
        for handle in handles:
            handle.remove()
    return {name: maps[name] for name in names}


def mosaic(maps: Tensor, columns: int) -> Tensor:
    """(count, height, width) → one picture of all maps, `columns` side by side, each stretched to 0 … 1."""
    count, height, width = maps.shape
    low, high = maps.min(), maps.max()
    stretched = (maps - low) / torch.where(high > low, high - low, 1.0)
    rows = -(-count // columns)
    cells = maps.new_zeros(rows * columns, height, width)
    cells[:count] = stretched
    return cells.view(rows, columns, height, width).transpose(1, 2).reshape(rows * height, columns * width)

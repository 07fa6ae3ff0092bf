# rejected by: maps_are_right: Remove the hooks that you made, in a
# "the net has as many hooks as before": the hooks of others are cleared with one's own
from collections.abc import Sequence

import torch
from torch import Tensor, nn


def feature_maps(net: nn.Module, names: Sequence[str], images: Tensor) -> dict[str, Tensor]:
    """The outputs of the submodules `names` for these images."""

    modules = dict(net.named_modules())
    for name in names:
        if name not in modules:
            raise KeyError(name)
    maps: dict[str, Tensor] = {}

    def keep(name: str):
        def hook(module: nn.Module, args: tuple, output: Tensor) -> None:
            maps[name] = output.detach().clone()

        return hook

    handles = []
    try:
        for name in names:
            handles.append(modules[name].register_forward_hook(keep(name)))
        with torch.no_grad():
            net(images)
    finally:
        for module in modules.values():
            module._forward_hooks.clear()
    return {name: maps[name] for name in names}


def mosaic(maps: Tensor, columns: int) -> Tensor:
    """(count, height, width) → one picture of all maps, `columns` side by side, each stretched to 0 … 1."""

    count, height, width = maps.shape
    low, high = maps.amin((1, 2), keepdim=True), maps.amax((1, 2), keepdim=True)
    spread = high - low
    flat = spread == 0
    stretched = torch.where(flat, 0.0, (maps - low) / torch.where(flat, 1.0, spread))
    rows = -(-count // columns)
    cells = maps.new_zeros(rows * columns, height, width)
    cells[:count] = stretched
    return cells.view(rows, columns, height, width).transpose(1, 2).reshape(rows * height, columns * width)

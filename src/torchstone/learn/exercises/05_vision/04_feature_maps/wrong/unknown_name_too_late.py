# rejected by: unknown_names_are_refused: register_forward_hook returns a handle
# "however it ends, the net has as many hooks as before": an unknown name after a known one raises before the try
# begins
from collections.abc import Sequence

import torch
from torch import Tensor, nn


def feature_maps(net: nn.Module, names: Sequence[str], images: Tensor) -> dict[str, Tensor]:
    """The outputs of the submodules `names` for these images."""

    modules = dict(net.named_modules())
    maps: dict[str, Tensor] = {}
    handles = []
    for name in names:

        def hook(module, args, output, name=name):
            maps[name] = output.detach().clone()

        handles.append(modules[name].register_forward_hook(hook))
    try:
        with torch.no_grad():
            net(images)
    finally:
        for handle in handles:
            handle.remove()
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

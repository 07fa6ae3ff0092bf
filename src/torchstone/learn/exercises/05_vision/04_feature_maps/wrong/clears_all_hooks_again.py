# rejected by: hooks_are_removed: Remove the hooks that you made
# "When the function ends, **however it ends**, the net has as many hooks as before.": hooks that others had
# registered are removed too
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
            raise KeyError(name)

    def keep(name: str, output: Tensor) -> None:
        maps[name] = output.detach().clone()

    try:
        for name in names:
            hook = lambda module, inputs, output, name=name: keep(name, output)
            modules[name].register_forward_hook(hook)
        with torch.no_grad():
            net(images)
    finally:
        for name in names:
            modules[name]._forward_hooks.clear()
    return {name: maps[name] for name in names}


def mosaic(maps: Tensor, columns: int) -> Tensor:
    """(count, height, width) → one picture of all maps, `columns` side by side, each stretched to 0 … 1."""
    count, height, width = maps.shape
    low, high = maps.amin((1, 2), keepdim=True), maps.amax((1, 2), keepdim=True)
    spread = high - low
    stretched = (maps - low) / torch.where(spread > 0, spread, 1)
    rows = -(-count // columns)
    cells = stretched.new_zeros(rows * columns, height, width)
    cells[:count] = stretched
    return cells.view(rows, columns, height, width).transpose(1, 2).reshape(rows * height, columns * width)

# rejected by: maps_are_right: Remove the hooks that you made, in a
"""What each layer of a network sees: forward hooks that are gone afterwards."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional


def feature_maps(net: nn.Module, names: Sequence[str], images: Tensor) -> dict[str, Tensor]:
    """The outputs of the submodules `names` for these images."""
    maps: dict[str, Tensor] = {}
    modules = dict(net.named_modules())

    def keep(name: str, output: Tensor) -> None:
        # A copy: the next layer may write into the very same memory.
        maps[name] = output.detach().clone()

    try:
        with torch.no_grad():
            for name in names:
                modules[name].register_forward_hook(lambda module, args, output, name=name: keep(name, output))
            net(images)
    finally:
        for module in modules.values():
            module._forward_hooks.clear()
    return {name: maps[name] for name in names}


def mosaic(maps: Tensor, columns: int) -> Tensor:
    """(count, height, width) → one picture of all maps, `columns` side by side, each stretched to 0 … 1."""
    low, high = maps.amin((1, 2), keepdim=True), maps.amax((1, 2), keepdim=True)
    # Where high equals low every difference is 0, and 0 divided by anything but 0 stays 0.
    stretched = (maps - low) / (high - low).masked_fill(high == low, 1)
    missing = -len(maps) % columns
    cells = functional.pad(stretched, (0, 0, 0, 0, 0, missing)).unflatten(0, (-1, columns))
    # (rows, columns, height, width): a row of the picture runs through all columns first.
    return cells.transpose(1, 2).flatten(2, 3).flatten(0, 1)

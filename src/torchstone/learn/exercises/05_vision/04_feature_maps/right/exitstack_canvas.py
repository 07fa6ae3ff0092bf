# earns: solved
# ExitStack for the hooks, a canvas filled cell by cell
"""What each layer of a network sees: forward hooks that are gone afterwards."""

from collections.abc import Sequence
from contextlib import ExitStack

import torch
from torch import Tensor, nn


def feature_maps(net: nn.Module, names: Sequence[str], images: Tensor) -> dict[str, Tensor]:
    """The outputs of the submodules `names` for these images."""
    modules = dict(net.named_modules())
    for name in names:
        if name not in modules:
            raise KeyError(f"the net has no submodule {name!r}")
    maps: dict[str, Tensor] = dict.fromkeys(names)

    def keeper(name):
        def keep(module, inputs, output):
            maps[name] = output.detach().clone()

        return keep

    with ExitStack() as stack, torch.no_grad():
        for name in maps:
            stack.callback(modules[name].register_forward_hook(keeper(name)).remove)
        net(images)
    return maps


def mosaic(maps: Tensor, columns: int) -> Tensor:
    """(count, height, width) → one picture of all maps, `columns` side by side, each stretched to 0 … 1."""
    count, height, width = maps.shape
    rows = (count + columns - 1) // columns
    canvas = maps.new_zeros(rows * height, columns * width)
    for i, one in enumerate(maps):
        low, high = one.min(), one.max()
        if high > low:
            top, left = i // columns * height, i % columns * width
            canvas[top : top + height, left : left + width] = (one - low) / (high - low)
    return canvas

# rejected by: hooks_are_removed_after_a_failure: hook returns a handle: call its remove() in
# the hooks stay registered if the net raises an exception
"""What each layer of a network sees: forward hooks that are gone afterwards."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def feature_maps(net: nn.Module, names: Sequence[str], images: Tensor) -> dict[str, Tensor]:
    """The outputs of the submodules `names` for these images."""
    modules = dict(net.named_modules())
    for name in names:
        if name not in modules:
            raise KeyError(f"the net has no module {name!r}")
    maps: dict[str, Tensor] = {}
    handles = []
    with torch.no_grad():
        for name in names:

            def hook(module: nn.Module, inputs: tuple, output: Tensor, name: str = name) -> None:
                maps[name] = output.detach().clone()

            handles.append(modules[name].register_forward_hook(hook))
        net(images)
    for handle in handles:
        handle.remove()
    return {name: maps[name] for name in names}


def mosaic(maps: Tensor, columns: int) -> Tensor:
    """(count, height, width) → one picture of all maps, `columns` side by side, each stretched to 0 … 1."""
    count, height, width = maps.shape
    low = maps.amin((1, 2), keepdim=True)
    span = maps.amax((1, 2), keepdim=True) - low
    stretched = (maps - low) / torch.where(span > 0, span, torch.ones_like(span))
    rows = -(-count // columns)
    cells = stretched.new_zeros(rows * columns, height, width)
    cells[:count] = stretched
    return cells.view(rows, columns, height, width).transpose(1, 2).reshape(rows * height, columns * width)

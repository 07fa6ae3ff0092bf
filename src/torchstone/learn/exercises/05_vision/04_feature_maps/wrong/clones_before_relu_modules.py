# rejected by: code_may_work_in_place: What comes after the layer may write into the same memory
# "The maps are what the layer gave, even where the next one is a ReLU that works in place.": copies only if the net
# has an nn.ReLU(inplace=True), not if its forward calls relu_
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

    overwritten = any(getattr(module, "inplace", False) for module in modules.values())

    def keep(name: str, output: Tensor) -> None:
        maps[name] = output.detach().clone() if overwritten else output.detach()

    handles = []
    try:
        for name in names:
            hook = lambda module, inputs, output, name=name: keep(name, output)
            handles.append(modules[name].register_forward_hook(hook))
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
    stretched = (maps - low) / torch.where(spread > 0, spread, 1)
    rows = -(-count // columns)
    cells = stretched.new_zeros(rows * columns, height, width)
    cells[:count] = stretched
    return cells.view(rows, columns, height, width).transpose(1, 2).reshape(rows * height, columns * width)

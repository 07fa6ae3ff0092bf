# earns: solved
# hooks made with functools.partial and kept in a dictionary; the mosaic painted by index arithmetic
"""What each layer of a network sees: forward hooks that are gone afterwards."""

from collections.abc import Sequence
from functools import partial

import torch
from torch import Tensor, nn


def remember(maps: dict[str, Tensor], name: str, module: nn.Module, inputs: tuple[Tensor, ...], output: Tensor) -> None:
    maps[name] = output.detach().mul(1)


def feature_maps(net: nn.Module, names: Sequence[str], images: Tensor) -> dict[str, Tensor]:
    """The outputs of the submodules `names` for these images."""
    known = {name: module for name, module in net.named_modules() if name in set(names)}
    targets = [(name, known[name]) for name in names]
    maps: dict[str, Tensor] = {}
    handles: dict[str, torch.utils.hooks.RemovableHandle] = {}
    try:
        for name, module in targets:
            if name not in handles:
                handles[name] = module.register_forward_hook(partial(remember, maps, name))
        net(images)
        result = {}
        for name in names:
            result[name] = maps.get(name)
        return result
    finally:
        for handle in handles.values():
            handle.remove()


def mosaic(maps: Tensor, columns: int) -> Tensor:
    """(count, height, width) → one picture of all maps, `columns` side by side, each stretched to 0 … 1."""
    count, height, width = maps.shape
    flat = maps.flatten(1)
    low, high = flat.aminmax(dim=1, keepdim=True)
    span = high - low
    flat = ((flat - low) / span.masked_fill(span == 0, 1)).view_as(maps)
    picture = maps.new_zeros((count + columns - 1) // columns * height, columns * width)
    for index in range(count):
        row, column = divmod(index, columns)
        picture[row * height : (row + 1) * height, column * width : (column + 1) * width] = flat[index]
    return picture

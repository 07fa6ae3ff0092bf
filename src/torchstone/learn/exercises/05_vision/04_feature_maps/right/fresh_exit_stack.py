# earns: solved
# an ExitStack of hooks, and a mosaic of cat over rows
"""What each layer of a network sees: forward hooks that are gone afterwards."""

from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial

import torch
from torch import Tensor, nn


def _note(maps: dict[str, Tensor], name: str, module: nn.Module, inputs: tuple, output: Tensor) -> None:
    maps[name] = output.detach().clone()


def feature_maps(net: nn.Module, names: Sequence[str], images: Tensor) -> dict[str, Tensor]:
    """The outputs of the submodules `names` for these images."""
    found = {}
    modules = {name: module for name, module in net.named_modules()}
    with ExitStack() as stack:
        for name in names:
            stack.callback(modules[name].register_forward_hook(partial(_note, found, name)).remove)
        net(images)
    return dict(sorted(found.items(), key=lambda pair: list(names).index(pair[0])))


def mosaic(maps: Tensor, columns: int) -> Tensor:
    """(count, height, width) → one picture of all maps, `columns` side by side, each stretched to 0 … 1."""
    count, height, width = maps.shape
    cells = []
    for one in maps:
        low, high = one.min(), one.max()
        cells.append((one - low) / (high - low) if bool(high > low) else torch.zeros_like(one))
    while len(cells) % columns:
        cells.append(maps.new_zeros(height, width))
    rows = [torch.cat(cells[i : i + columns], dim=1) for i in range(0, len(cells), columns)]
    return torch.cat(rows) if rows else maps.new_zeros(0, columns * width)

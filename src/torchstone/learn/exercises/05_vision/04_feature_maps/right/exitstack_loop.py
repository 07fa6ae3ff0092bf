# earns: solved
# ExitStack and partial, a mosaic painted cell by cell
"""What each layer of a network sees: forward hooks that are gone afterwards."""

from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial

import torch
from torch import Tensor, nn


def _keep(maps: dict, name: str, module: nn.Module, inputs: tuple, output: Tensor) -> None:
    maps[name] = torch.empty_like(output, requires_grad=False).copy_(output.detach())


def feature_maps(net: nn.Module, names: Sequence[str], images: Tensor) -> dict[str, Tensor]:
    """The outputs of the submodules `names` for these images."""
    modules = {name: module for name, module in net.named_modules()}
    chosen = {name: modules[name] for name in names}  # a KeyError names the missing one
    maps: dict = dict.fromkeys(chosen)
    with ExitStack() as stack:
        for name, module in chosen.items():
            stack.callback(module.register_forward_hook(partial(_keep, maps, name)).remove)
        net(images)
    return maps


def mosaic(maps: Tensor, columns: int) -> Tensor:
    """(count, height, width) → one picture of all maps, `columns` side by side, each stretched to 0 … 1."""
    count, height, width = maps.shape
    picture = maps.new_zeros((count + columns - 1) // columns * height, columns * width)
    for index, one in enumerate(maps):
        top, left = index // columns * height, index % columns * width
        smallest, largest = one.min(), one.max()
        if smallest < largest:
            picture[top : top + height, left : left + width] = (one - smallest) / (largest - smallest)
    return picture

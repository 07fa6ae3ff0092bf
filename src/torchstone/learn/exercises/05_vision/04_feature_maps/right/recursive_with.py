# earns: solved
# one context manager for each name, nested by recursion; the mosaic by slices
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from contextlib import contextmanager


@contextmanager
def watched(module: nn.Module, name: str, maps: dict[str, Tensor]):
    handle = module.register_forward_hook(lambda _, args, output: maps.__setitem__(name, output.detach().clone()))
    try:
        yield
    finally:
        handle.remove()


def run(net: nn.Module, modules: dict[str, nn.Module], names: list[str], images: Tensor, maps: dict) -> None:
    if not names:
        with torch.no_grad():
            net(images)
        return
    with watched(modules[names[0]], names[0], maps):
        run(net, modules, names[1:], images, maps)


def feature_maps(net: nn.Module, names: Sequence[str], images: Tensor) -> dict[str, Tensor]:
    """The outputs of the submodules `names` for these images."""

    every = dict(net.named_modules())
    modules = {name: every[name] for name in names}
    maps: dict[str, Tensor] = {}
    run(net, modules, list(modules), images, maps)
    return {name: maps[name] for name in modules}


def mosaic(maps: Tensor, columns: int) -> Tensor:
    """(count, height, width) → one picture of all maps, `columns` side by side, each stretched to 0 … 1."""

    count, height, width = maps.shape
    rows = (count + columns - 1) // columns
    picture = torch.zeros(rows * height, columns * width, dtype=maps.dtype, device=maps.device)
    flat = maps.flatten(1)
    low, high = flat.min(1).values, flat.max(1).values
    for place in range(count):
        if high[place] == low[place]:
            continue
        top, left = place // columns * height, place % columns * width
        stretched = (maps[place] - low[place]).div(high[place] - low[place])
        picture[top : top + height, left : left + width] = stretched
    return picture
